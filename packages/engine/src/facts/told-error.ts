import { PARENT_FAILED } from '../model/graph.ts';
import type { Task } from '../model/run.ts';
import type { TaskState } from '../model/states.ts';

/**
 * What a reader is told of how a task went wrong. One that was cancelled with its run says by whom
 * and why, which its own error cannot: it may be that of an attempt before. One whose parents failed
 * had been cancelled for that, whatever became of its run later.
 */
export function toldError(task: Task, state: TaskState, error: string | null): string | null {
  const { cancel } = task.run;
  if (cancel === null || state !== 'CANCELLED') return error;
  if (task.part !== null && (task.part.blocked & PARENT_FAILED) !== 0) return error;
  const by = cancel.by === '' ? '' : ` by ${cancel.by}`;
  const why = cancel.reason === '' ? '' : `: ${cancel.reason}`;
  return `cancelled${by}${why}${error === null ? '' : `; previous error: ${error}`}`;
}
