import {
  type Duration,
  isExitCode,
  LIMITS,
  parseDuration,
  type WireResult,
} from '@signalbox/protocol/link';
import type { Result } from './executor.ts';

export type ErrorClass = 'transient' | 'permanent' | 'resource';

/** Long enough for a stack, short enough for a journal. */
const ERROR_LENGTH_MAX = 8_192;

/** An error that states whether a retry can help. */
export class ClassedError extends Error {
  override readonly name: string = 'ClassedError';
  readonly errorClass: ErrorClass;
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    more: { errorClass: ErrorClass; retryAfterMs?: number; cause?: unknown },
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.errorClass = more.errorClass;
    this.retryAfterMs = more.retryAfterMs;
  }
}

/** A retry cannot help: the input is wrong, or the target no longer exists. */
export class PermanentError extends ClassedError {
  override readonly name: string = 'PermanentError';
  constructor(message: string, more: { cause?: unknown } = {}) {
    super(message, { ...more, errorClass: 'permanent' });
  }
}

/** A retry may succeed, not earlier than after `retryAfter` if that is given. */
export class TransientError extends ClassedError {
  override readonly name: string = 'TransientError';
  constructor(message: string, more: { cause?: unknown; retryAfter?: Duration } = {}) {
    const { cause, retryAfter } = more;
    // A number is clamped when it is sent; text that is not a duration is rejected here.
    const retryAfterMs = typeof retryAfter === 'string' ? parseDuration(retryAfter) : retryAfter;
    super(message, {
      ...(cause === undefined ? {} : { cause }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      errorClass: 'transient',
    });
  }
}

/** The attempt needs more resources than it has: memory, disk, time on a device. */
export class ResourceError extends ClassedError {
  override readonly name: string = 'ResourceError';
  constructor(message: string, more: { cause?: unknown } = {}) {
    super(message, { ...more, errorClass: 'resource' });
  }
}

const CLASSES: ReadonlySet<unknown> = new Set(['transient', 'permanent', 'resource']);

/** Any thrown value as a failure. Without a class, the error text determines it on the node. */
export function failureOf(error: unknown): Result {
  try {
    return describedFailure(error);
  } catch {
    // Reading its members throws. The attempt must end nevertheless.
    return { kind: 'failed', error: 'an error that cannot be converted to text', output: null };
  }
}

function describedFailure(error: unknown): Result {
  const { errorClass, retryAfterMs } = (error ?? {}) as Partial<ClassedError>;
  return {
    kind: 'failed',
    error: describe(error),
    ...(errorClass !== undefined && CLASSES.has(errorClass) && { class: errorClass }),
    ...(typeof retryAfterMs === 'number' && retryAfterMs >= 0 && { retryAfterMs }),
    output: null,
  };
}

type Failed = WireResult & { kind: 'failed' };

const CAUSES_MAX = 4;

/**
 * Includes the causes: the error of a `fetch` that could not connect only says that it failed; the text that
 * determines its class is in its cause.
 */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : safeText(error);
  let text = lineOf(error);
  for (const cause of causesOf(error)) {
    if (cause.message === '' || !text.includes(cause.message)) text += `: ${lineOf(cause)}`;
  }
  return text;
}

/** The nearest first, up to a limit: an error may be its own cause. */
export function causesOf(error: Error): Error[] {
  const causes: Error[] = [];
  for (
    let { cause } = error;
    cause instanceof Error && causes.length < CAUSES_MAX;
    { cause } = cause
  ) {
    causes.push(cause);
  }
  return causes;
}

function lineOf(error: Error): string {
  const name = error.name === 'Error' || error.name === '' ? '' : `${error.name}: `;
  const { code } = error as { code?: unknown };
  return `${name}${error.message || (typeof code === 'string' ? code : '')}`;
}

function safeText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return 'an error that cannot be converted to text';
  }
}

/** The result as it is sent. An executor of a user may return anything, and the result must not be lost. */
export function toWire(result: Result, durationMs: number): WireResult {
  const duration = Math.round(durationMs);
  switch (result.kind) {
    case 'succeeded': {
      const { exitCode } = result;
      return isExitCode(exitCode)
        ? { kind: 'succeeded', exitCode, durationMs: duration }
        : { kind: 'succeeded', durationMs: duration };
    }
    case 'failed':
      return failedToWire(result, duration);
    case 'stopped':
      return { kind: 'stopped' };
  }
}

const RETRY_AFTER_MS_MAX = LIMITS['report.retryAfter'].max;

/** Clamps the delay to its limit, and removes NUL and lone surrogates from the text. */
function failedToWire(result: Failed, durationMs: number): Failed {
  const raw: unknown = result.error;
  const text = (typeof raw === 'string' ? raw : safeText(raw)).slice(0, ERROR_LENGTH_MAX);
  const error = text.toWellFormed().replaceAll('\u0000', '');
  const after = result.retryAfterMs;
  return {
    kind: 'failed',
    error: error === '' ? 'failed without an error message' : error,
    ...(CLASSES.has(result.class) ? { class: result.class as ErrorClass } : {}),
    ...(typeof after === 'number' && after >= 0
      ? { retryAfterMs: Math.min(Math.round(after), RETRY_AFTER_MS_MAX) }
      : {}),
    ...(isExitCode(result.exitCode) ? { exitCode: result.exitCode } : {}),
    durationMs,
  };
}
