import type { AttemptRecord, Run, Task } from '../model/run.ts';
import type { TaskState } from '../model/states.ts';

/** What the row of an ended run tells about its tasks; read back with `parseDetail`. */
export interface RunDetail {
  readonly tasks: readonly {
    readonly state: TaskState;
    readonly error: string | null;
    readonly attempts: readonly AttemptRecord[];
  }[];
}

/**
 * Compact JSON, because every task ever finished keeps it:
 * [1, [state, error, [[number, worker, assigned, started, ended, outcome], …]], …]
 * with times relative to the run's submission.
 */
export function encodeDetail(
  run: Run,
  last: { task: Task; state: TaskState; error: string | null; attempt: AttemptRecord | null },
): string {
  let text = '[1';
  for (const task of run.tasks) {
    const ending = task === last.task;
    const error = ending ? last.error : task.error;
    text += `,["${ending ? last.state : task.state}",${error === null ? 'null' : JSON.stringify(error)},[`;
    let separator = '';
    if (task.history !== null) {
      for (const record of task.history) {
        text += separator + encodeRecord(record, run.ms);
        separator = ',';
      }
    }
    if (ending && last.attempt !== null) text += separator + encodeRecord(last.attempt, run.ms);
    text += ']]';
  }
  return `${text}]`;
}

function encodeRecord(record: AttemptRecord, base: number): string {
  const started = record.startedAt === 0 ? 'null' : record.startedAt - base;
  return `[${record.number},${JSON.stringify(record.worker)},${record.assignedAt - base},${started},${record.endedAt - base},"${record.outcome}"]`;
}

export function parseDetail(text: string, base: number): RunDetail {
  const [version, ...tasks] = JSON.parse(text) as [number, ...unknown[]];
  if (version !== 1) throw new RangeError(`run detail of version ${version}`);
  return {
    tasks: (
      tasks as [
        TaskState,
        string | null,
        [number, string, number, number | null, number, string][],
      ][]
    ).map(([state, error, attempts]) => ({
      state,
      error,
      attempts: attempts.map(([number, worker, assigned, started, ended, outcome]) => ({
        number,
        worker,
        assignedAt: assigned + base,
        startedAt: started === null ? 0 : started + base,
        endedAt: ended + base,
        outcome,
      })),
    })),
  };
}
