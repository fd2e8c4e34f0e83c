import { createHash, randomBytes } from 'node:crypto';

/** Random ids, except that the id of the next span can be chosen. Starting a span is synchronous. */
export class SpanIds {
  #next: string | null = null;

  /** Runs `start`, which starts one span; the span has this id. */
  with<T>(spanId: string, start: () => T): T {
    this.#next = spanId;
    try {
      return start();
    } finally {
      this.#next = null;
    }
  }

  readonly generateTraceId = (): string => randomBytes(16).toString('hex');

  readonly generateSpanId = (): string => this.#next ?? randomBytes(8).toString('hex');
}

/**
 * The span of an attempt has an id before it exists: the worker needs it as a parent when the attempt
 * starts, and the node that records the result, possibly another one, draws it at the end.
 */
export function attemptSpanId(traceId: string, attemptId: string): string {
  return createHash('sha256').update(`${traceId} ${attemptId}`).digest('hex').slice(0, 16);
}
