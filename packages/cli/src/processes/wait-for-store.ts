import { setTimeout } from 'node:timers/promises';

const DELAY_MS = 250;
const DELAY_MS_MAX = 5_000;

/** Temporary failures of a store: not started yet, stopping, or locked by another process. */
const PASSING: ReadonlySet<unknown> = new Set(['unavailable', 'unknown', 'conflict']);

/**
 * Starts what needs a database, and tries again while the database cannot be used: after an outage the
 * nodes may come back before it does. A refusal that does not pass (no such database, wrong password, a
 * newer schema) is thrown at once.
 */
export async function whenStoreIsUp<T>(
  start: () => Promise<T>,
  onRetry: (error: Error, retryInMs: number) => void,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof Error && 'kind' in error && PASSING.has(error.kind))) throw error;
      const delayMs = Math.min(DELAY_MS_MAX, DELAY_MS * 2 ** failures);
      onRetry(error, delayMs);
      await setTimeout(delayMs);
    }
  }
}
