import { formatRunId, taskName } from '@signalbox/engine';
import type { FailedAttempt } from '../metrics/fact-counts.ts';
import type { Logger } from '../settings/log-events.ts';

/** An error may be as long as a handler likes; the run keeps the whole of it. */
const ERROR_CHARS_MAX = 2_000;

/** One line for each attempt that failed or timed out, once that is durable. */
export function logFailure(log: Logger, { task, attempt, worker, outcome }: FailedAttempt): void {
  const { run } = task;
  const { reason, error } = outcome;
  const isTimeout = reason === 'timeout' || reason === 'stuck';
  const fields = {
    event: isTimeout ? 'attempt.timed_out' : 'attempt.failed',
    tenant: run.spec.tenant,
    run: formatRunId(run),
    job: run.spec.job,
    task: taskName(task),
    attempt,
    worker,
    reason,
    error: error.slice(0, ERROR_CHARS_MAX),
    ...(outcome.kind === 'taskRetryAt' ? { retryAt: new Date(outcome.dueAt).toISOString() } : {}),
  } as const;
  // It is the handler's trouble, not the node's: an embedded node, which logs warnings, prints none of it.
  log.info(fields, isTimeout ? 'attempt timed out' : 'attempt failed');
}
