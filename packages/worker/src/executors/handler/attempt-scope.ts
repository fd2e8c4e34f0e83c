import { AsyncLocalStorage } from 'node:async_hooks';
import type { AttemptContext } from '../../executor.ts';

/** The attempt that running code belongs to. */
export interface AttemptScope {
  readonly attempt: AttemptContext;
  /** Fails the attempt. Null until the handler has returned its promise, and once the attempt has its result. */
  fail: ((error: unknown) => void) | null;
}

/**
 * Kept across the waits of a handler: several handlers share a process, its console and its uncaught errors.
 * Entering it takes 0.3 µs per attempt on Node.js 24, and nothing per `await`; so there is one of it.
 */
export const attemptScope = new AsyncLocalStorage<AttemptScope>();
