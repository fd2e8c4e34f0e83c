import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { answerStale, findAttempt, heardFrom } from '../core/find-attempt.ts';
import { leaveWorker } from '../core/lingering.ts';
import { settle } from '../core/settle.ts';
import { taskRequeued, taskSucceeded } from '../facts/facts.ts';
import { assertNever } from '../model/assert.ts';
import type { Attempt, Task } from '../model/run.ts';
import { classify } from './classify.ts';
import { failTask, type ReserveRetry } from './fail.ts';

/**
 * A worker reports how an attempt went. The live attempt is settled and the worker may forget the
 * result once that is durable; any other report is answered too, or the worker would keep it for
 * ever (DUR-03, DUR-10).
 */
export function finish(
  core: Core,
  command: Command & { kind: 'finish' },
  reserve: ReserveRetry,
): Answer {
  const worker = heardFrom(core, command.worker);
  const attempt = findAttempt(core, command.worker, command.ref);
  if (attempt === null) {
    if (worker !== null) leaveWorker(core, worker, command.ref);
    answerStale(core, command.worker, command.ref);
    return DONE;
  }
  // A success that came too late is not taken, so it must not be confirmed either (I4).
  const kind = command.result.kind === 'succeeded' && isLate(attempt) ? 'stale' : 'confirm';
  core.tell({ kind, worker: command.worker, ref: command.ref });
  settleResult(core, attempt, command, reserve);
  return DONE;
}

/** Its time was up before it reported, by this node's clock (LIV-06). */
function isLate(attempt: Attempt): boolean {
  return attempt.stopWhy === 'timeout' || attempt.stopWhy === 'stuck';
}

function settleResult(
  core: Core,
  attempt: Attempt,
  command: Command & { kind: 'finish' },
  reserve: ReserveRetry,
): void {
  const { task } = attempt;
  const { result } = command;
  if (isLate(attempt)) return stopped(core, task, reserve, 0);
  switch (result.kind) {
    case 'succeeded': {
      const refused = task.spec.step.dynamic ? core.addTasks(task, result.output) : null;
      if (refused !== null) {
        const failure = { reason: 'permanent', error: refused, lingerMs: 0 } as const;
        return failTask(core, task, failure, reserve);
      }
      const { partition, seq } = task.run;
      const of = { partition, seq, task: task.index, at: core.now, attempt: attempt.number };
      return settle(core, task, taskSucceeded({ ...of, output: result.output }));
    }
    case 'failed': {
      const reason = result.class ?? classify(result.error, result.exitCode);
      const { retryAfterMs } = result;
      const failure = { reason, error: result.error, lingerMs: 0 };
      return failTask(
        core,
        task,
        retryAfterMs === undefined ? failure : { ...failure, retryAfterMs },
        reserve,
      );
    }
    case 'stopped':
      return stopped(core, task, reserve, 0);
    default:
      return assertNever(result);
  }
}

/** The attempt came to a stop because it was told to; why it was told decides what follows. */
export function stopped(core: Core, task: Task, reserve: ReserveRetry, lingerMs: number): void {
  const why = task.attempt?.stopWhy ?? null;
  if (why === 'timeout' || why === 'stuck') {
    const error =
      why === 'timeout'
        ? 'the attempt exceeded its timeout'
        : 'the attempt made no progress for too long';
    return failTask(core, task, { reason: why, error, lingerMs }, reserve);
  }
  // Drained, or the worker is shutting down by itself: WRK-07, no attempt is charged. What was
  // cancelled ends here too: nothing of a doomed run is queued again.
  const { partition, seq } = task.run;
  const attempt = task.attempt?.number ?? 0;
  const of = { partition, seq, task: task.index, at: core.now, attempt };
  settle(core, task, taskRequeued({ ...of, reason: 'drained' }), lingerMs);
}
