import { copyOfBytes, type Duration, type Priority } from '@signalbox/protocol';
import type { PreparedSubmission } from './backend.ts';
import { exactJson } from './check-numbers.ts';
import type { MembersOf } from './known-members.ts';

export interface SubmitOptions {
  /**
   * One run for each key: asking again gives the run that is there, for `keep-keys` after the
   * submission and for as long as the run lives.
   */
  readonly idempotencyKey?: string;
  /** No second live run of the job with the same value: asking again gives the one that lives. */
  readonly uniqueKey?: string;
  readonly priority?: Priority;
  /** Not before this instant; a date alone is its midnight in UTC. */
  readonly runAt?: Date | string;
  /** Not before this much time has passed on the node: '10m', or milliseconds. Not with `runAt`. */
  readonly delay?: Duration;
  /** Stops waiting for the answer. What is on its way may still become a run: `cancel` ends that. */
  readonly signal?: AbortSignal;
}

export const SUBMIT_MEMBERS = {
  idempotencyKey: true,
  uniqueKey: true,
  priority: true,
  runAt: true,
  delay: true,
  signal: true,
} as const satisfies MembersOf<SubmitOptions>;

/** Bytes travel as they are; everything else as JSON. Throws where it is neither, or would change on its way. */
export function prepareSubmission(
  job: string,
  input: unknown,
  options: SubmitOptions,
): PreparedSubmission {
  const { idempotencyKey, uniqueKey, priority, runAt, delay } = options;
  return {
    head: {
      job,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(uniqueKey !== undefined && { uniqueKey }),
      ...(priority !== undefined && { priority }),
      ...(runAt !== undefined && { runAt: instantOf(runAt) }),
      ...(delay !== undefined && { delay }),
    },
    input: copyOfBytes(input) ?? jsonOf(job, input),
  };
}

function jsonOf(job: string, input: unknown): string | undefined {
  if (input === undefined) return undefined;
  const text = exactJson(input, 'input');
  if (text === undefined)
    throw new TypeError(`the input of ${job} must be JSON, not a ${typeof input}`);
  return text;
}

function instantOf(at: Date | string): string {
  return typeof at === 'string' ? at : at.toISOString();
}
