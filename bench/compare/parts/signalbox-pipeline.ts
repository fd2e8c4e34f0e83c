import { type Job, type Pipeline, pipeline, type Step } from 'signalbox';
import type { Payload } from '../part/payload.ts';
import { TWENTY_TASKS, taskOfTwenty } from '../part/twenty-tasks.ts';

/** Every task is given the run's input, so that each has as much to carry as a single one. */
export function measuredPipeline(
  name: string,
  onTask: (data: Payload) => void,
): Job<Payload, unknown> {
  return pipeline(name, (p: Pipeline<Payload>) => {
    const steps: Record<string, Step<unknown>> = {};
    for (const [place, task] of TWENTY_TASKS.entries()) {
      const after = task.after.map((parent) => steps[parent] as Step<unknown>);
      steps[task.name] = p.task(task.name, { after }, async (data) => {
        onTask(taskOfTwenty(data, place));
      });
    }
    return steps['tell'];
  });
}
