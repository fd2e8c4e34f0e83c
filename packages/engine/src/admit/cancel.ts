import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { settle } from '../core/settle.ts';
import { requestStop } from '../core/stop.ts';
import { runCancelRequested, taskCancelled } from '../facts/facts.ts';
import { NO_SUCH_RUN } from './not-found.ts';

/**
 * Cancels from any state that is not terminal: what has not begun ends at once, what runs is told
 * to stop and ends when it has, or when its grace is over. Repeating it changes nothing (DUR-03).
 */
export function cancel(core: Core, command: Command & { kind: 'cancel' }): Answer {
  const { partition, seq, by, reason } = command;
  const book = core.books.get(partition);
  const run = book?.runs.get(seq);
  if (book === undefined || run === undefined) return NO_SUCH_RUN;
  if (run.cancel !== null) return DONE;
  core.emit(book, runCancelRequested({ partition, seq, at: core.now, by, reason }), run);
  for (const task of run.tasks) {
    if (task.state === 'PENDING' || task.state === 'QUEUED') {
      const at = core.now;
      const fact = {
        partition,
        seq,
        task: task.index,
        at,
        attempt: 0,
        reason: 'cancelled' as const,
      };
      settle(core, task, taskCancelled(fact));
    } else if (task.attempt !== null) requestStop(core, task.attempt, 'cancelled');
  }
  return DONE;
}
