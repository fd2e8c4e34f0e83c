import type { Assign } from '../executor.ts';
import type { AttemptIds, WorkerEvent } from '../worker-options.ts';
import type { Finish, HeldAttempt } from './held-attempt.ts';

/** Stops that are the attempt's own failure; the others are somebody's wish. */
const FAULTS: Readonly<Record<string, string>> = {
  timeout: 'the attempt exceeded its timeout',
  stuck: 'the attempt made no progress for too long',
};

/** What names an attempt in a line of a log. */
export function idsOf(assign: Assign): AttemptIds {
  const { id, run, tenant, job, task, ref } = assign;
  return { id, run, tenant, job, task, attempt: ref[3] };
}

/** Null for an end that is no failure. */
export function failedEvent(held: HeldAttempt, { result }: Finish): WorkerEvent | null {
  if (result.kind === 'failed') {
    return { kind: 'failed', why: 'failed', ...idsOf(held.assign), error: result.error };
  }
  const why = held.isAborted ? String(held.signal.reason) : '';
  const error = FAULTS[why];
  if (result.kind !== 'stopped' || error === undefined) return null;
  return { kind: 'failed', why, ...idsOf(held.assign), error };
}
