import { copyOfBytes, type Duration, type Priority } from '@signalbox/protocol';
import type { PreparedSubmission } from './backend.ts';
import { exactJson } from './check-numbers.ts';
import { instantText } from './instant-text.ts';
import type { MembersOf } from './known-members.ts';

export interface SubmitOptions {
  /**
   * At most one run per key: submitting again returns the existing run, for `keep-keys` after the
   * submission and at least until the run ends.
   */
  readonly idempotencyKey?: string;
  /** At most one live run of the job per value: submitting again returns the live run. */
  readonly uniqueKey?: string;
  readonly priority?: Priority;
  /** Earliest start; a date without a time means midnight UTC. */
  readonly runAt?: Date | string;
  /** Delay before the start, '10m' or milliseconds, by the clock of the node. Not together with `runAt`. */
  readonly delay?: Duration;
  /** Stops waiting for the response. A request already sent may still create a run; `cancel` ends that run. */
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
      ...(runAt !== undefined && { runAt: instantText('runAt', runAt) }),
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
