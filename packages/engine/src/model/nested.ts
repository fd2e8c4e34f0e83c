import { taskName } from './graph.ts';
import { reservedKey } from './reserved-key.ts';
import type { Run, Task } from './run.ts';
import { formatRunId } from './run-id.ts';

/** No client can write a key that begins so, and so nobody can stand in for a nested run. */
const PREFIX = reservedKey('nested/');

/**
 * The key under which the run is submitted that a task waits for: its identity before it has an id, so
 * that asking again after a crash finds the one that is there. Says which wait it is: a task that is
 * held and begins anew gets a run of its own.
 */
export function nestedKey(task: Task, since: number): string {
  return `${PREFIX}${nestedDepth(task.run) + 1}/${formatRunId(task.run)}/${taskName(task)}/${since}`;
}

/** How many runs wait for this one, each nested in the next. */
export function nestedDepth({ head }: Run): number {
  const { key = '' } = head;
  return key.startsWith(PREFIX) ? Number.parseInt(key.slice(PREFIX.length), 10) : 0;
}
