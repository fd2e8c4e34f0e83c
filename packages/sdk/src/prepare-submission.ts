import { randomUUID } from 'node:crypto';
import type { ClassName } from '@signalbox/protocol';
import type { PreparedSubmission } from './backend.ts';

export interface SubmitOptions {
  /** At most one run for each key: asking again gives the run that is there. */
  readonly key?: string;
  /** No second live run of the job with the same value: asking again gives the one that lives. */
  readonly unique?: string;
  readonly class?: ClassName;
  /** Not before this instant. */
  readonly dueAt?: Date | string;
  readonly delayMs?: number;
  /** Stops waiting for the answer. What is on its way may still become a run: `cancel` ends that. */
  readonly signal?: AbortSignal;
}

/**
 * Bytes travel as they are; everything else as JSON. Throws where it is neither. A remote node may
 * have taken a submission whose answer was lost: with a key of its own it can be said again, however
 * often and in whatever batch, and is still one run.
 */
export function prepareSubmission(params: {
  job: string;
  input: unknown;
  options: SubmitOptions;
  isRemote: boolean;
}): PreparedSubmission {
  const { job, input, options, isRemote } = params;
  const { unique, dueAt, delayMs } = options;
  const key = options.key ?? (isRemote ? `sdk-${randomUUID()}` : undefined);
  const bytes = input instanceof Uint8Array ? input : undefined;
  return {
    head: {
      job,
      ...(key !== undefined && { key }),
      ...(unique !== undefined && { unique }),
      ...(options.class !== undefined && { class: options.class }),
      ...(dueAt !== undefined && { dueAt: instantOf(dueAt) }),
      ...(delayMs !== undefined && { delayMs }),
      ...(bytes && { inputBase64: Buffer.from(bytes).toString('base64') }),
    },
    input: bytes === undefined ? jsonOf(job, input) : undefined,
  };
}

function jsonOf(job: string, input: unknown): string | undefined {
  if (input === undefined) return undefined;
  const text = JSON.stringify(input);
  if (text === undefined) throw new TypeError(`the input of ${job} is not JSON: ${typeof input}`);
  return text;
}

function instantOf(at: Date | string): string {
  return typeof at === 'string' ? at : at.toISOString();
}
