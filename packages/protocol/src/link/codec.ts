import { PayloadPages } from '../payload-pages.ts';
import {
  type Assign,
  columnarAssigns,
  columnarFinishes,
  expandColumns,
  type Finish,
  isPlainAssign,
  isPlainFinish,
} from './columnar-frames.ts';
import { ROWS_MAX, toRefColumns } from './columns.ts';
import { FrameError } from './frame-error.ts';
import type { About, FromNode, FromWorker, Unreadable } from './frames.ts';
import { NodeFrameReader, readFromWorker } from './read-frame.ts';

/**
 * A message is a batch of frames: four bytes with the length of the header, the header, then all payloads.
 * The header is a JSON list of frames in which each payload is replaced by its length (null for none), and the
 * `about` of an `assign` by its number among the `about` frames before it in the same message. If the receiver
 * accepts them, consecutive simple frames of one kind are combined into a columnar frame, because encoding and
 * decoding them as objects costs more than processing them.
 */
const PAYLOADS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['finish', ['output']],
  ['checkpoint', ['state']],
  ['log', ['text']],
  ['assign', ['input', 'checkpoint', 'parents']],
]);

const HEADER_AT = 4;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

type Frame = FromWorker | FromNode;

/** A message that is being encoded. */
interface Draft {
  readonly heads: unknown[];
  readonly abouts: Map<About, number>;
  readonly payloads: Uint8Array[];
  /** How many more rows the columnar frames of this message may have. */
  room: number;
}

/** `packs`: the receiver accepts columnar frames. */
export function encodeFrames(
  frames: readonly Frame[],
  { packs }: { packs: boolean } = { packs: false },
): Uint8Array {
  const draft: Draft = { heads: [], abouts: new Map(), payloads: [], room: ROWS_MAX };
  let at = 0;
  while (at < frames.length) {
    const count = packs ? addColumns(frames, at, draft) : 0;
    if (count === 0) addFrame(frames[at] as Frame, draft);
    at += Math.max(1, count);
  }
  return assemble(draft);
}

function assemble({ heads, payloads }: Draft): Uint8Array {
  const header = encoder.encode(JSON.stringify(heads));
  let length = HEADER_AT + header.length;
  for (const payload of payloads) length += payload.length;
  const message = new Uint8Array(length);
  new DataView(message.buffer).setUint32(0, header.length);
  message.set(header, HEADER_AT);
  let at = HEADER_AT + header.length;
  for (const payload of payloads) {
    message.set(payload, at);
    at += payload.length;
  }
  return message;
}

/** Adds the simple frames from here on as one columnar frame, and returns how many. */
function addColumns(frames: readonly Frame[], from: number, draft: Draft): number {
  const first = frames[from] as Frame;
  if (first.kind === 'confirm' || first.kind === 'accept') {
    if (first.refs.length < 2 || first.refs.length > draft.room) return 0;
    draft.heads.push({ ...first, refs: toRefColumns(first.refs) });
    draft.room -= first.refs.length;
    return 1;
  }
  if (isPlainAssign(first)) {
    const { about } = first;
    const isAlike = (frame: Frame) => isPlainAssign(frame) && frame.about === about;
    const alike = consecutive(frames, { from, max: draft.room }, isAlike) as Assign[];
    if (alike.length < 2) return 0;
    draft.room -= alike.length;
    const number = aboutNumber(about, draft);
    draft.heads.push(columnarAssigns(alike, number));
    for (const { input } of alike) if (input !== null) draft.payloads.push(input);
    return alike.length;
  }
  if (!isPlainFinish(first)) return 0;
  const finishes = consecutive(frames, { from, max: draft.room }, isPlainFinish) as Finish[];
  if (finishes.length < 2) return 0;
  draft.room -= finishes.length;
  draft.heads.push(columnarFinishes(finishes));
  for (const { output } of finishes) if (output !== null) draft.payloads.push(output);
  return finishes.length;
}

function consecutive(
  frames: readonly Frame[],
  { from, max }: { from: number; max: number },
  belongs: (frame: Frame) => boolean,
): readonly Frame[] {
  let to = from + 1;
  while (to < frames.length && to - from < max && belongs(frames[to] as Frame)) to++;
  return from === 0 && to === frames.length ? frames : frames.slice(from, to);
}

function addFrame(frame: Frame, draft: Draft): void {
  const { heads, payloads } = draft;
  switch (frame.kind) {
    case 'assign':
      heads.push(assignHead(frame, draft));
      return;
    case 'finish':
      heads.push({ ...frame, output: addPayload(frame.output, payloads) });
      return;
    case 'checkpoint':
      heads.push({ ...frame, state: addPayload(frame.state, payloads) });
      return;
    case 'log':
      heads.push({ ...frame, text: addPayload(frame.text, payloads) });
      return;
    default:
      heads.push(frame);
  }
}

function assignHead(frame: Assign, draft: Draft): unknown {
  const { payloads } = draft;
  const about = aboutNumber(frame.about, draft);
  const input = addPayload(frame.input, payloads);
  const checkpoint = addPayload(frame.checkpoint, payloads);
  const head = { ...frame, about, input, checkpoint };
  return frame.parents === undefined
    ? head
    : { ...head, parents: addPayload(frame.parents, payloads) };
}

/** The number of the `about` frame in this message, which is added if it is not there yet. */
function aboutNumber(about: About, { abouts, heads }: Draft): number {
  const existing = abouts.get(about);
  if (existing !== undefined) return existing;
  const number = abouts.size;
  abouts.set(about, number);
  heads.push({ kind: 'about', ...about });
  return number;
}

/** Adds the payload and returns its length for the header. */
function addPayload(payload: Uint8Array | null | undefined, payloads: Uint8Array[]): number | null {
  if (payload == null) return null;
  payloads.push(payload);
  return payload.length;
}

/**
 * Throws a `FrameError` on anything that is not a batch of known frames. A frame that names an
 * attempt and has a field that cannot be read becomes an `unreadable` one, and only that.
 */
export function decodeFromWorker(message: Uint8Array): (FromWorker | Unreadable)[] {
  const frames: (FromWorker | Unreadable)[] = [];
  for (const frame of decode(message)) readFromWorker(frame, frames);
  return frames;
}

export function decodeFromNode(message: Uint8Array): (FromNode | Unreadable)[] {
  const reader = new NodeFrameReader();
  for (const frame of decode(message)) reader.read(frame);
  return reader.frames;
}

function decode(message: Uint8Array): Record<string, unknown>[] {
  if (message.length < HEADER_AT) throw new FrameError('the message is shorter than four bytes');
  const view = new DataView(message.buffer, message.byteOffset, message.length);
  const headerEnd = HEADER_AT + view.getUint32(0);
  if (headerEnd > message.length) throw new FrameError('the header is longer than the message');
  const frames = expandColumns(parseHeader(message.subarray(HEADER_AT, headerEnd)));
  const pages = new PayloadPages();
  let at = headerEnd;
  for (const frame of frames) {
    for (const field of PAYLOADS.get(frame['kind']) ?? []) {
      const length = frame[field];
      // Few assignments have parents: those that have none do not say so.
      if (length === null || (length === undefined && field === 'parents')) continue;
      if (!isLength(length) || at + length > message.length) {
        throw new FrameError(`${String(frame['kind'])}.${field} is not a valid payload length`);
      }
      // A copy: a view would keep the whole message in memory for as long as the payload lives.
      frame[field] = pages.copy(message.subarray(at, at + length));
      at += length;
    }
  }
  if (at !== message.length) throw new FrameError('the message has bytes after its last payload');
  return frames;
}

function parseHeader(bytes: Uint8Array): Record<string, unknown>[] {
  let header: unknown;
  try {
    header = JSON.parse(decoder.decode(bytes));
  } catch {
    throw new FrameError('the header is not valid UTF-8 JSON');
  }
  if (!Array.isArray(header)) throw new FrameError('the header is not a list of frames');
  for (const frame of header) {
    if (typeof frame !== 'object' || frame === null || typeof frame.kind !== 'string') {
      throw new FrameError('a frame must be an object with a kind');
    }
  }
  return header as Record<string, unknown>[];
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
