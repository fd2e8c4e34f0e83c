import { checkAbout, checkFromNode, checkFromWorker } from './check.ts';
import { FrameError } from './frame-error.ts';
import type { About, FromNode, FromWorker } from './frames.ts';

/**
 * A message is a batch of frames: four bytes with the length of the header, the header, then the
 * payloads one after the other. The header is a JSON list of frames in which every payload is
 * replaced by its length, or by null where there is none, and what an `assign` is about by its
 * number among the `about` frames before it in the same message.
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

export function encodeFrames(frames: readonly (FromWorker | FromNode)[]): Uint8Array {
  const payloads: Uint8Array[] = [];
  const abouts = new Map<About, number>();
  const heads: unknown[] = [];
  for (const frame of frames) {
    if (frame.kind === 'assign') heads.push(assignHead(frame, { heads, abouts, payloads }));
    else heads.push(headOf(frame, payloads));
  }
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

function assignHead(
  frame: FromNode & { kind: 'assign' },
  message: { heads: unknown[]; abouts: Map<About, number>; payloads: Uint8Array[] },
): unknown {
  const { abouts, payloads } = message;
  let about = abouts.get(frame.about);
  if (about === undefined) {
    about = abouts.size;
    abouts.set(frame.about, about);
    message.heads.push({ kind: 'about', ...frame.about });
  }
  const input = taken(frame.input, payloads);
  const checkpoint = taken(frame.checkpoint, payloads);
  const head = { ...frame, about, input, checkpoint };
  return frame.parents === undefined ? head : { ...head, parents: taken(frame.parents, payloads) };
}

function headOf(frame: FromWorker | FromNode, payloads: Uint8Array[]): unknown {
  switch (frame.kind) {
    case 'finish':
      return { ...frame, output: taken(frame.output, payloads) };
    case 'checkpoint':
      return { ...frame, state: taken(frame.state, payloads) };
    case 'log':
      return { ...frame, text: taken(frame.text, payloads) };
    default:
      return frame;
  }
}

/** What stands for the payload in the header. */
function taken(payload: Uint8Array | null | undefined, payloads: Uint8Array[]): number | null {
  if (payload == null) return null;
  payloads.push(payload);
  return payload.length;
}

/** Throws a `FrameError` on anything that is not a batch of known, well-formed frames. */
export function decodeFromWorker(message: Uint8Array): FromWorker[] {
  return decode(message).map(checkFromWorker);
}

export function decodeFromNode(message: Uint8Array): FromNode[] {
  const abouts: About[] = [];
  const frames: FromNode[] = [];
  for (const frame of decode(message)) {
    if (frame['kind'] === 'about') abouts.push(checkAbout(frame));
    else if (frame['kind'] === 'assign') {
      const about = frame['about'];
      frame['about'] = typeof about === 'number' ? abouts[about] : undefined;
      frames.push(checkFromNode(frame));
    } else frames.push(checkFromNode(frame));
  }
  return frames;
}

function decode(message: Uint8Array): Record<string, unknown>[] {
  if (message.length < HEADER_AT) throw new FrameError('a message has at least four bytes');
  const view = new DataView(message.buffer, message.byteOffset, message.length);
  const headerEnd = HEADER_AT + view.getUint32(0);
  if (headerEnd > message.length) throw new FrameError('the header is longer than the message');
  const frames = parseHeader(message.subarray(HEADER_AT, headerEnd));
  let at = headerEnd;
  for (const frame of frames) {
    for (const field of PAYLOADS.get(frame['kind']) ?? []) {
      const length = frame[field];
      // Few assignments have parents: those that have none do not say so.
      if (length === null || (length === undefined && field === 'parents')) continue;
      if (!isLength(length) || at + length > message.length) {
        throw new FrameError(`${String(frame['kind'])}.${field} is not the length of a payload`);
      }
      // A copy: a view would keep the whole message in memory for as long as the payload lives. Not
      // the message's own `slice`: a Buffer's is a view.
      frame[field] = new Uint8Array(message.subarray(at, at + length));
      at += length;
    }
  }
  if (at !== message.length) throw new FrameError('bytes that belong to no frame');
  return frames;
}

function parseHeader(bytes: Uint8Array): Record<string, unknown>[] {
  let header: unknown;
  try {
    header = JSON.parse(decoder.decode(bytes));
  } catch {
    throw new FrameError('the header is not JSON in UTF-8');
  }
  if (!Array.isArray(header)) throw new FrameError('the header is not a list of frames');
  for (const frame of header) {
    if (typeof frame !== 'object' || frame === null || typeof frame.kind !== 'string') {
      throw new FrameError('a frame is an object with a kind');
    }
  }
  return header as Record<string, unknown>[];
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
