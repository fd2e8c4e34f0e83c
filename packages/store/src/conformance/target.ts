import type { Snapshot } from '../snapshot.ts';
import type { Store } from '../store.ts';

/** How the suite gets a store of one kind. */
export interface ConformanceTarget {
  readonly name: string;
  /** A fresh, empty, migrated store. */
  create(options: ConformanceOptions): Promise<ConformanceHarness>;
}

export interface ConformanceOptions {
  readonly segmentMs: number;
  /** Seqs per group segment, for a store that cuts groups by seq. */
  readonly groupSegmentSize: number;
}

export interface ConformanceHarness {
  readonly store: Store;
  snapshot(): Promise<Snapshot>;
  /**
   * Sets the store's clock. A store without it has a clock of its own: tests then really wait, and
   * differential runs leave times out of the comparison.
   */
  setNow?(ms: number): void;
  close(): Promise<void>;
}

const WAIT_MS_MAX = 10_000;

/** Returns when the store's clock has reached the time. */
export async function waitPast(harness: ConformanceHarness, ms: number): Promise<void> {
  const startMs = await harness.store.now();
  if (startMs >= ms) return;
  if (harness.setNow !== undefined) {
    harness.setNow(ms);
    return;
  }
  if (ms - startMs > WAIT_MS_MAX) throw new Error(`a test may not wait ${ms - startMs} ms`);
  while ((await harness.store.now()) < ms) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
