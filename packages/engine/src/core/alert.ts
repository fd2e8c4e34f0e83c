import type { AlertFields } from '../effects.ts';
import type { Run, Task } from '../model/run.ts';
import { formatRunId } from '../model/run-id.ts';
import type { Schedule } from '../model/schedule.ts';

/** The fields that name a run in an alert. */
export function aboutRun(run: Run): AlertFields {
  const { tenant, job } = run.spec;
  return { tenant, job, run: formatRunId(run) };
}

export function aboutTask({ run, spec }: Task): AlertFields {
  return { ...aboutRun(run), task: spec.name };
}

export function aboutSchedule({ tenant, name, spec }: Schedule): AlertFields {
  const { job, expects } = spec;
  return expects === undefined
    ? { tenant, job, schedule: name }
    : { tenant, job, trigger: expects.trigger };
}
