import type { SignalboxError } from './errors.ts';

/** A longer timer of Node.js fires at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;
/** A wait of no time is still one look at the run, and a node needs a moment to answer. */
const LOOK_MS = 1_000;

/**
 * Rejects when the time is over, whatever the node does: one that hangs, or asks to be left alone for a minute,
 * would otherwise decide how long the caller waits.
 */
export async function withinTime<T>(
  params: { timeoutMs: number; signal: AbortSignal | undefined; error: () => SignalboxError },
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const { timeoutMs, signal, error } = params;
  const ms = Math.max(timeoutMs, LOOK_MS);
  if (ms > TIMER_MAX_MS) return work(signal);
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(error()), ms);
  try {
    const either = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
    return await abortable(work(either), over.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Gives up waiting when the signal fires, whether or not what is waited for listens to it. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  // After the signal, a rejection of the work has no other handler.
  work.catch(() => {});
  signal.throwIfAborted();
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
