import { parseDetail, taskOutput } from '@signalbox/engine';
import type { Evidence } from '../evidence.ts';
import { attemptKey, taskKey } from '../names.ts';
import type { Checker } from './checker.ts';

const decoder = new TextDecoder();

/** C6: once a worker was told that its success is recorded, that task never starts again, and the record is what it sent. */
export const ackMeansDone: Checker = {
  name: 'C6',
  promise:
    'nothing starts after its completion was acknowledged; what was acknowledged is what is stored',
  check: (evidence) => {
    const problems: string[] = [];
    const acked = new Map<string, { t: number; number: number }>();
    const outputs = storedOutputs(evidence, problems);
    for (const event of evidence.events) {
      if (event.kind === 'start') {
        const name = taskKey(event.ref);
        const done = acked.get(name);
        // An earlier attempt was revoked while its assignment was on its way: it may arrive late,
        // and is stopped as soon as its worker says so. Nothing that is handed out later may start.
        if (done !== undefined && event.t > done.t && event.ref.number >= done.number) {
          problems.push(`task ${name} started again after its success was acknowledged`);
        }
      }
      if (event.kind !== 'complete.acked' || event.result !== 'succeeded') continue;
      const name = taskKey(event.ref);
      acked.set(name, { t: event.t, number: event.ref.number });
      const stored = outputs.get(name);
      if (stored === undefined)
        problems.push(`task ${name}: an acknowledged success is not stored`);
      else if (stored !== event.output) {
        problems.push(`task ${name}: acknowledged ${attemptKey(event.ref)}, stored ${stored}`);
      }
    }
    return problems;
  },
};

/** What each task that succeeded produced: in its fact, or in the row of the run that it ended. */
function storedOutputs({ journal, runs }: Evidence, problems: string[]): Map<string, string> {
  const outputs = new Map<string, string>();
  const succeeded = new Map<string, Set<number>>();
  for (const { partition, facts } of journal) {
    for (const packed of facts) {
      if (packed.kind !== 'fact' || packed.fact.kind !== 'taskSucceeded') continue;
      const { seq, task, output } = packed.fact;
      outputs.set(taskKey({ partition, seq, task }), output === null ? '' : decoder.decode(output));
      const name = `${partition}.${seq}`;
      succeeded.set(name, (succeeded.get(name) ?? new Set()).add(task));
    }
  }
  for (const { run, end } of runs) {
    if (end?.output == null) continue;
    const { partition, seq } = run.id;
    const detail = parseDetail(end.detail, run.id.ms);
    for (const [task, { state }] of detail.tasks.entries()) {
      const output = taskOutput(detail, task, end.output);
      // The last one has no fact of its own.
      if (state !== 'SUCCEEDED' || output === null) continue;
      const name = taskKey({ partition, seq, task });
      const text = decoder.decode(output);
      if (!succeeded.get(`${partition}.${seq}`)?.has(task)) outputs.set(name, text);
      else if (outputs.get(name) !== text)
        problems.push(`task ${name}: its row tells another output`);
    }
  }
  return outputs;
}
