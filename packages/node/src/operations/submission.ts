import { type Class, parseClass, type RunHead } from '@signalbox/engine';
import type { Submission } from '@signalbox/protocol';
import { ApiError, type Caller } from '../context.ts';
import { requirePlain } from './check-text.ts';
import { PAYLOAD_MAX } from './payloads.ts';

/** Nothing is taken that is due further ahead: ten years. */
export const DUE_AHEAD_MAX_MS = 315_360_000_000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** A submission; a caller in this process may hand its bytes over as they are. */
export type SubmitItem = Submission & { readonly inputBytes?: Uint8Array };

/** A submission that has been checked, before anything is decided about it. */
export interface Checked {
  readonly job: string;
  readonly head: RunHead;
  readonly class: Class | null;
  readonly input: Uint8Array | null;
  /** Names the blob that is the input instead. */
  readonly blob: string | null;
}

export function checkSubmission(
  item: SubmitItem,
  about: { caller: Caller; now: number; path: string; trace: string | undefined },
): Checked {
  const at = (field: string): string => `${about.path}${field}`;
  const bad = (field: string, message: string): ApiError =>
    new ApiError('invalid', message, { field: at(field) });
  const { key, unique } = item;
  for (const [field, text] of [
    ['job', item.job],
    ['key', key],
    ['unique', unique],
  ] as const) {
    if (text === undefined) continue;
    if (typeof text !== 'string' || text === '' || text.length > 256) {
      throw bad(field, `${field} is a text of 1 to 256 characters`);
    }
    requirePlain(at(field), text);
  }
  const klass = item.class === undefined ? null : parseClass(item.class);
  if (item.class !== undefined && klass === null) throw bad('class', 'class is P0, P1 or P2');
  const dueAt = dueTime(item, about.now, bad);
  return {
    job: item.job,
    class: klass,
    input: inputOf(item, bad),
    blob: item.inputBlob ?? null,
    head: {
      ...(key === undefined ? {} : { key }),
      ...(unique === undefined ? {} : { unique }),
      ...(dueAt === null ? {} : { dueAt }),
      trigger: { kind: 'api', by: about.caller.key },
      ...(about.trace === undefined ? {} : { trace: about.trace }),
    },
  };
}

type Bad = (field: string, message: string) => ApiError;

function dueTime(item: SubmitItem, now: number, bad: Bad): number | null {
  const { dueAt, delayMs } = item;
  if (dueAt !== undefined && delayMs !== undefined) {
    throw bad('delayMs', 'a submission names dueAt or delayMs, not both');
  }
  if (delayMs !== undefined) {
    if (!Number.isSafeInteger(delayMs) || delayMs < 0 || delayMs > DUE_AHEAD_MAX_MS) {
      throw bad('delayMs', `delayMs is between 0 and ${DUE_AHEAD_MAX_MS} (ten years)`);
    }
    return delayMs === 0 ? null : now + delayMs;
  }
  if (dueAt === undefined) return null;
  const at = Date.parse(dueAt);
  if (Number.isNaN(at)) throw bad('dueAt', 'dueAt is an instant in ISO 8601');
  if (at > now + DUE_AHEAD_MAX_MS) throw bad('dueAt', 'dueAt lies more than ten years ahead');
  return at <= now ? null : at;
}

function inputOf(item: SubmitItem, bad: Bad): Uint8Array | null {
  const given = (['input', 'inputBase64', 'inputBytes', 'inputBlob'] as const).filter(
    (field) => item[field] !== undefined,
  );
  if (given.length > 1) {
    throw bad(given[1] as string, `a submission names ${given.join(' or ')}, not both`);
  }
  const bytes = bytesOf(item, bad);
  if (bytes !== null && bytes.length > PAYLOAD_MAX) {
    throw new ApiError('too_large', `an input has at most ${PAYLOAD_MAX} bytes`);
  }
  return bytes;
}

function bytesOf(item: SubmitItem, bad: Bad): Uint8Array | null {
  if (item.inputBytes !== undefined) return item.inputBytes;
  if (item.inputBase64 !== undefined) {
    const text = item.inputBase64;
    if (text.length % 4 !== 0 || !BASE64.test(text)) throw bad('inputBase64', 'this is not base64');
    return Buffer.from(text, 'base64');
  }
  if (item.input === undefined) return null;
  // An own allocation: slices of the shared pool would keep eight kilobytes alive for each run.
  return new TextEncoder().encode(JSON.stringify(item.input));
}
