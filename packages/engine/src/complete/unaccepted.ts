import type { Core } from '../core/core.ts';
import { settle } from '../core/settle.ts';
import { taskRequeued } from '../facts/facts.ts';
import type { Task } from '../model/run.ts';

/** Free tries of a task whose workers fall silent before they accept it. */
const FREE_TRIES = 3;

/**
 * PLC-10: a worker that went silent before it accepted costs the task nothing. Not without end: a
 * task that kills its worker so fast that no acceptance gets out must come to an end too (F28).
 */
export function returnUnaccepted(core: Core, task: Task): boolean {
  if (task.attempts - task.charged > FREE_TRIES) return false;
  const { partition, seq } = task.run;
  const attempt = task.attempt?.number ?? 0;
  const of = { partition, seq, task: task.index, at: core.now, attempt };
  settle(core, task, taskRequeued({ ...of, reason: 'not_accepted' }));
  return true;
}
