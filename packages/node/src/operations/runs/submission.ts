import { type Class, isReserved, type RunHead } from '@signalbox/engine';
import {
  IDEMPOTENCY_KEY_PATTERN,
  IDEMPOTENCY_KEY_RULE,
  LIMITS,
  PayloadPages,
  type Submission,
} from '@signalbox/protocol';
import { ApiError, type Caller } from '../../context/index.ts';
import { PAYLOAD_MAX } from '../blobs/payloads.ts';
import { classOfPriority } from '../common/priority-class.ts';
import { instantOf, msOf } from '../common/read-time.ts';

/** A submission must be due within ten years. */
export const DUE_AHEAD_MAX_MS = LIMITS['submission.delay'].max;
const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const INPUTS = ['input', 'inputBase64', 'inputBytes', 'inputJson', 'inputBlob'] as const;

/** A submission; the input may also be bytes, or JSON text. */
export type SubmitItem = Submission & {
  readonly inputBytes?: Uint8Array;
  readonly inputJson?: string;
  /** Set by the node for runs that it submits itself; no schema accepts it from a client. */
  readonly derived?: Pick<RunHead, 'key' | 'nested'>;
};

/** A submission that has been checked, before anything is decided about it. */
export interface Checked {
  readonly job: string;
  readonly head: RunHead;
  readonly class: Class | null;
  readonly input: Uint8Array | null;
  /** Names the blob that is the input instead. */
  readonly blob: string | null;
}

interface About {
  readonly caller: Caller;
  readonly now: number;
  readonly trace: string | undefined;
  /** Not one of a batch: fields are named without their position. */
  readonly single: boolean;
}

/** Validates a batch. Equal submissions share their validated head: in most batches all are equal. */
export function checkSubmissions(items: readonly SubmitItem[], about: About): Checked[] {
  const checked: Checked[] = [];
  const pages = new PayloadPages();
  let before: SubmitItem | undefined;
  let shared: Pick<Checked, 'class' | 'head'> | undefined;
  let i = 0;
  const bad: Bad = (field, message) =>
    new ApiError('invalid', message, { field: fieldAt(about, i, field) });
  for (; i < items.length; i++) {
    const item = items[i] as SubmitItem;
    if (shared === undefined || before === undefined || !hasSameHead(item, before)) {
      shared = { class: classOf(item, bad), head: headOf(item, about, bad) };
      before = item;
    }
    checked.push({
      job: item.job,
      class: shared.class,
      head: shared.head,
      input: inputOf(item, pages, bad),
      blob: item.inputBlob ?? null,
    });
  }
  return checked;
}

/** `runAt`, or `items[3].runAt` in a batch. */
export function fieldAt({ single }: { single: boolean }, index: number, field: string): string {
  return single ? field : `items[${index}].${field}`;
}

type Bad = (field: string, message: string) => ApiError;

function hasSameHead(a: SubmitItem, b: SubmitItem): boolean {
  return (
    a.job === b.job &&
    a.priority === b.priority &&
    a.idempotencyKey === b.idempotencyKey &&
    a.uniqueKey === b.uniqueKey &&
    a.runAt === b.runAt &&
    a.delay === b.delay
  );
}

function classOf(item: SubmitItem, bad: Bad): Class | null {
  return classOfPriority(item.priority, (message) => bad('priority', message));
}

function headOf(item: SubmitItem, { caller, now, trace }: About, bad: Bad): RunHead {
  const { idempotencyKey: key, uniqueKey: unique } = item;
  checkName('job', item.job, bad);
  if (key !== undefined) checkName('idempotencyKey', key, bad);
  if (unique !== undefined) checkName('uniqueKey', unique, bad);
  const dueAt = dueTime(item, now, bad);
  return {
    ...(key === undefined ? {} : { key }),
    ...(item.derived === undefined ? {} : item.derived),
    ...(unique === undefined ? {} : { unique }),
    ...(dueAt === null ? {} : { dueAt }),
    trigger: { kind: 'api', by: caller.key },
    ...(trace === undefined ? {} : { trace }),
  };
}

export function checkName(
  field: 'job' | 'idempotencyKey' | 'uniqueKey',
  text: unknown,
  bad: Bad = (_, message) => new ApiError('invalid', message, { field }),
): void {
  if (field === 'idempotencyKey') {
    if (typeof text !== 'string' || !KEY.test(text)) throw bad(field, IDEMPOTENCY_KEY_RULE);
    return;
  }
  if (typeof text !== 'string' || text === '' || text.length > 256) {
    throw bad(field, `${field} must be a text of 1 to 256 characters`);
  }
  if (!text.isWellFormed() || text.includes('\0')) {
    throw bad(field, `${field} contains a NUL character or a lone surrogate`);
  }
  if (isReserved(text)) throw bad(field, `${field} must not start with the character U+0001`);
}

function dueTime(item: SubmitItem, now: number, bad: Bad): number | null {
  const { runAt, delay } = item;
  if (runAt !== undefined && delay !== undefined) {
    throw bad('delay', 'a submission cannot have both runAt and delay');
  }
  if (delay !== undefined) {
    const ms = msOf('submission.delay', { field: 'delay', value: delay }, bad);
    return ms === 0 ? null : now + ms;
  }
  if (runAt === undefined) return null;
  const at = instantOf('runAt', runAt, bad);
  if (at > now + DUE_AHEAD_MAX_MS)
    throw bad('runAt', 'runAt must not be more than ten years ahead');
  return at <= now ? null : at;
}

function inputOf(item: SubmitItem, pages: PayloadPages, bad: Bad): Uint8Array | null {
  const count =
    Number(item.input !== undefined) +
    Number(item.inputBase64 !== undefined) +
    Number(item.inputBytes !== undefined) +
    Number(item.inputJson !== undefined) +
    Number(item.inputBlob !== undefined);
  if (count > 1) throw tooManyInputs(item, bad);
  const bytes = bytesOf(item, pages, bad);
  if (bytes !== null && bytes.length > PAYLOAD_MAX) {
    throw new ApiError('too_large', `the input exceeds ${PAYLOAD_MAX} bytes`);
  }
  return bytes;
}

function tooManyInputs(item: SubmitItem, bad: Bad): ApiError {
  const given = INPUTS.filter((field) => item[field] !== undefined);
  return bad(given[1] as string, `a submission can have only one of ${given.join(' and ')}`);
}

function bytesOf(item: SubmitItem, pages: PayloadPages, bad: Bad): Uint8Array | null {
  if (item.inputBytes !== undefined) {
    if (item.inputBytes instanceof Uint8Array) return item.inputBytes;
    throw bad('inputBytes', 'inputBytes must be a Uint8Array');
  }
  requireText('inputJson', item.inputJson, bad);
  requireText('inputBase64', item.inputBase64, bad);
  requireText('inputBlob', item.inputBlob, bad);
  if (item.inputJson !== undefined) return pages.encode(item.inputJson);
  if (item.inputBase64 !== undefined) {
    const text = item.inputBase64;
    if (text.length % 4 !== 0 || !BASE64.test(text))
      throw bad('inputBase64', 'inputBase64 is not valid base64');
    return pages.copy(Buffer.from(text, 'base64'));
  }
  return item.input === undefined ? null : pages.encode(jsonOf(item.input, bad));
}

/** A caller in this process comes without the API's own check, and without types if it is JavaScript. */
function requireText(field: string, text: unknown, bad: Bad): void {
  if (text !== undefined && typeof text !== 'string') throw bad(field, `${field} must be a string`);
}

function jsonOf(input: unknown, bad: Bad): string {
  try {
    const text = JSON.stringify(input);
    if (text !== undefined) return text;
  } catch {
    // Circular, or with a value that JSON has not.
  }
  throw bad('input', 'the input cannot be written as JSON');
}
