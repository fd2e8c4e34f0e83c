import { copyOfBytes, type Priority } from '@signalbox/protocol';
import type { PreparedSubmission } from './backend.ts';
import { exactJson } from './check-numbers.ts';

export interface SubmitOptions {
  /**
   * One run for each key: asking again gives the run that is there, for `keep-keys` after the
   * submission and for as long as the run lives.
   */
  readonly key?: string;
  /** No second live run of the job with the same value: asking again gives the one that lives. */
  readonly unique?: string;
  readonly priority?: Priority;
  /** Not before this instant. */
  readonly dueAt?: Date | string;
  readonly delayMs?: number;
  /** Stops waiting for the answer. What is on its way may still become a run: `cancel` ends that. */
  readonly signal?: AbortSignal;
}

/** Bytes travel as they are; everything else as JSON. Throws where it is neither, or would change on its way. */
export function prepareSubmission(
  job: string,
  input: unknown,
  options: SubmitOptions,
): PreparedSubmission {
  const { key, unique, dueAt, delayMs } = options;
  return {
    head: {
      job,
      ...(key !== undefined && { key }),
      ...(unique !== undefined && { unique }),
      ...(options.priority !== undefined && { priority: options.priority }),
      ...(dueAt !== undefined && { dueAt: instantOf(dueAt) }),
      ...(delayMs !== undefined && { delayMs }),
    },
    input: copyOfBytes(input) ?? jsonOf(job, input),
  };
}

function jsonOf(job: string, input: unknown): string | undefined {
  if (input === undefined) return undefined;
  const text = exactJson(input, 'input');
  if (text === undefined) throw new TypeError(`the input of ${job} is not JSON: ${typeof input}`);
  return text;
}

function instantOf(at: Date | string): string {
  return typeof at === 'string' ? at : at.toISOString();
}
