import { isUtf8 } from 'node:buffer';
import { ApiError } from '../errors/api-error.ts';
import { type PathStep, pathOf } from './field-path.ts';
import { memberCount, repeatedKey } from './repeated-key.ts';

const DEPTH_MAX = 64;
const KEYS_MAX = 1_000;
/** Merged or assigned carelessly, each of these reaches the prototype of every object. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
/** Written plainly, a body that names one of them holds one of these; `\\u` may write anything. */
const SUSPICIOUS = ['\\u', '__proto__', 'constructor', 'prototype'];
const BYTE_ORDER_MARK = '\ufeff';

/**
 * The JSON of a request. Stricter than `JSON.parse`: what would be read differently by another
 * parser, or would not come back as it was written, is refused instead of being changed silently.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const { lossy, members } = scan(bytes);
  const text = textOf(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson();
  }
  // What the walk refuses cannot be in a body without these; most bodies need no walk.
  if (lossy.size > 0 || SUSPICIOUS.some((part) => text.includes(part))) walk(value, lossy);
  // Readers disagree on which of two members counts, so what one of them checked another may not see.
  if (memberCount(value) !== members) throw twice(repeatedKey(text));
  return value;
}

function textOf(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw notJson();
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

function twice(path: readonly PathStep[] | null): ApiError {
  const field = path === null ? {} : { field: pathOf(path) };
  return new ApiError('invalid', 'duplicate key', field);
}

function notJson(): ApiError {
  return new ApiError('bad_request', 'the body is not valid UTF-8 JSON');
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COLON = 0x3a;

/**
 * One pass over the bytes before anything is built from them: a million open brackets cost a
 * million comparisons here, and a stack overflow or a second of parsing there.
 */
function scan(bytes: Uint8Array): { lossy: ReadonlySet<number>; members: number } {
  const keys: number[] = [];
  const lossy = new Set<number>();
  let members = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) i = endOfString(bytes, i);
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (keys.push(0) > DEPTH_MAX) {
        throw new ApiError('bad_request', `the body has more than ${DEPTH_MAX} levels of nesting`);
      }
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) keys.pop();
    else if (byte === COLON && keys.length > 0) {
      members++;
      const count = (keys.pop() as number) + 1;
      if (count > KEYS_MAX) {
        throw new ApiError('invalid', `an object has more than ${KEYS_MAX} keys`);
      }
      keys.push(count);
    } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const end = endOfNumber(bytes, i);
      const changed = lossyAt(bytes, i, end);
      if (changed !== null) lossy.add(changed);
      i = end - 1;
    }
  }
  return { lossy, members };
}

function endOfString(bytes: Uint8Array, start: number): number {
  for (let i = start + 1; i < bytes.length; i++) {
    if (bytes[i] === BACKSLASH) i++;
    else if (bytes[i] === QUOTE) return i;
  }
  return bytes.length;
}

function endOfNumber(bytes: Uint8Array, start: number): number {
  let i = start + 1;
  while (i < bytes.length && isNumberByte(bytes[i] as number)) i++;
  return i;
}

/** Digits, `.`, `+`, `-`, `e`, `E`. */
function isNumberByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2e ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x65 ||
    byte === 0x45
  );
}

/**
 * What a number is read as, where that is another: a whole number past 2^53, `-0`, or one past the
 * largest double. Null for all others; one with an exponent is a double to every reader.
 */
function lossyAt(bytes: Uint8Array, start: number, end: number): number | null {
  const length = end - start;
  if (length < 16 && !(bytes[start] === 0x2d && bytes[start + 1] === 0x30)) {
    // Too short to overflow, unless an exponent says so.
    if (length < 4) return null;
    if (!bytes.subarray(start, end).some((b) => b === 0x65 || b === 0x45)) return null;
  }
  const text = String.fromCharCode(...bytes.subarray(start, Math.min(end, start + 400)));
  const value = Number(text);
  if (!Number.isFinite(value)) return value;
  if (!/^-?\d+(\.0*)?$/.test(text)) return null;
  // `-0.0` says that it is a double.
  if (value === 0) return text === '-0' ? value : null;
  return Number.isSafeInteger(value) ? null : value;
}

interface Place {
  readonly value: unknown;
  readonly path: Path;
}
type Path = { readonly parent: Path; readonly step: PathStep } | null;

/** Without recursion, although the depth is bounded by now: one rule less to rely on. */
function walk(root: unknown, lossy: ReadonlySet<number>): void {
  const places: Place[] = [{ value: root, path: null }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value, path } = place;
    if (typeof value === 'string') checkText(value, path);
    else if (typeof value === 'number') {
      if (isLossy(value, lossy)) throw invalid(NOT_EXACT, path);
    } else if (Array.isArray(value)) {
      value.forEach((item, i) => {
        if (item !== null && typeof item !== 'boolean') {
          places.push({ value: item, path: { parent: path, step: i } });
        }
      });
    } else if (typeof value === 'object' && value !== null) {
      for (const key of Object.keys(value)) {
        const at = { parent: path, step: key };
        checkText(key, path);
        if (FORBIDDEN_KEYS.has(key)) throw invalid(`the key ${key} is not allowed`, at);
        places.push({ value: (value as Record<string, unknown>)[key], path: at });
      }
    }
  }
}

function checkText(text: string, path: Path): void {
  if (!text.isWellFormed()) {
    throw new ApiError('bad_request', 'the text contains a lone surrogate', fieldOf(path));
  }
  if (text.includes('\u0000')) throw invalid('the text contains a NUL character', path);
}

const NOT_EXACT = 'the number cannot be stored exactly; send it as a string';

/** A set does not tell `-0` from 0, which is no problem. */
function isLossy(value: number, lossy: ReadonlySet<number>): boolean {
  return value === 0 ? Object.is(value, -0) && lossy.has(0) : lossy.has(value);
}

function invalid(message: string, path: Path): ApiError {
  return new ApiError('invalid', message, fieldOf(path));
}

function fieldOf(path: Path): { field?: string } {
  const steps: PathStep[] = [];
  for (let at = path; at !== null; at = at.parent) steps.unshift(at.step);
  return steps.length === 0 ? {} : { field: pathOf(steps) };
}
