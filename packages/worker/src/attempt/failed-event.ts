import type { Assign } from '../executor.ts';
import type { AttemptIds, WorkerEvent } from '../worker-options.ts';
import type { Finish, HeldAttempt } from './held-attempt.ts';

/** Reasons of stops that count as failures of the attempt; all others are requested. */
const FAULTS: Readonly<Record<string, string>> = {
  timeout: 'the attempt exceeded its timeout',
  stuck: 'the attempt made no progress for too long',
};

/** The ids of an attempt for a log line. */
export function idsOf(assign: Assign): AttemptIds {
  const { id, run, tenant, job, task, ref } = assign;
  return { id, run, tenant, job, task, attempt: ref[3] };
}

/** Null unless the attempt failed. */
export function failedEvent(held: HeldAttempt, { result }: Finish): WorkerEvent | null {
  if (result.kind === 'failed') {
    return { kind: 'failed', why: 'failed', ...idsOf(held.assign), error: result.error };
  }
  const why = held.isAborted ? String(held.signal.reason) : '';
  const error = FAULTS[why];
  if (result.kind !== 'stopped' || error === undefined) return null;
  return { kind: 'failed', why, ...idsOf(held.assign), error };
}
