import { setImmediate } from 'node:timers/promises';
import type { HeldKey, Store } from '@signalbox/store';
import { type ClockReading, type RetentionClocks, retentionTime } from './clocks.ts';

/** On SQLite the node stands still for a step; one of 10,000 keys took 120 ms. */
const KEYS_PER_STEP = 2_000;

export interface RetentionSettings {
  /** Runs that were submitted longer ago and have all ended are dropped, a whole segment at a time. */
  readonly historyMs: number;
  /** An idempotency key is remembered for this long after the submission, and while its run lives. */
  readonly keysMs: number;
  /** Packed facts are kept for this long beyond what recovery needs: for watchers that resume. */
  readonly factsMs: number;
  readonly everyMs: number;
}

const HOUR = 3_600_000;

export const DEFAULT_RETENTION: RetentionSettings = {
  historyMs: 90 * 24 * HOUR,
  keysMs: 7 * 24 * HOUR,
  factsMs: 24 * HOUR,
  everyMs: HOUR,
};

/** Never drop a segment that ended less than this before the present, however short history is. */
const PRESENT_MS = 2 * HOUR;

/** What one sweep did, for the log. */
export interface Swept {
  readonly kind: 'swept';
  readonly segments: number;
  readonly groupSegments: number;
  readonly keys: number;
  /** The oldest segment that should go and may not, because runs in it have not ended. */
  readonly heldBy: { readonly fromMs: number; readonly openRuns: number } | null;
}

/** Nothing was dropped: the clocks disagree about what is old. */
export interface SweepRefused {
  readonly kind: 'refused';
  readonly clocks: ClockReading;
}

/**
 * Lets history go. Purging is a drop of whole segments, never a delete of rows, and only of what
 * has ended: a segment with a live run stays, however old it is, or the run would be lost.
 * Without `clocks` the store's clock alone decides.
 */
export async function sweep(
  store: Store,
  settings: RetentionSettings,
  clocks?: RetentionClocks,
): Promise<Swept | SweepRefused> {
  const storeMs = await store.now();
  if (clocks === undefined) return sweepAt(store, settings, { now: storeMs, presentMs: 0 });
  const time = retentionTime(storeMs, clocks);
  if (time.kind === 'disagree') return { kind: 'refused', clocks: time.clocks };
  return sweepAt(store, settings, { now: time.nowMs, presentMs: PRESENT_MS });
}

async function sweepAt(
  store: Store,
  settings: RetentionSettings,
  { now, presentMs }: { now: number; presentMs: number },
): Promise<Swept> {
  let segments = 0;
  let heldBy: Swept['heldBy'] = null;
  for (const segment of await store.listSegments()) {
    if (segment.toMs > now - Math.max(settings.historyMs, presentMs)) break;
    const { sealed, openRuns } = await store.sealSegment(segment.fromMs);
    if (!sealed) {
      heldBy ??= { fromMs: segment.fromMs, openRuns };
      continue;
    }
    await store.dropSegment(segment.fromMs);
    segments++;
  }
  const groupSegments = await store.dropGroupsBefore({ beforeMs: now - settings.factsMs });
  const keys = await forgetKeys(store, now - settings.keysMs);
  return { kind: 'swept', segments, groupSegments, keys, heldBy };
}

/**
 * In steps with a pause for others, because one statement over a day of keys would hold them up.
 * A sweep looks at what it forgets and at the keys of old runs that live: the rest are gone.
 */
async function forgetKeys(store: Store, beforeMs: number): Promise<number> {
  let forgotten = 0;
  let after: HeldKey | null = null;
  do {
    const query: Parameters<Store['forgetKeys']>[0] = { beforeMs, after, limit: KEYS_PER_STEP };
    const step = await store.forgetKeys(query);
    forgotten += step.forgotten;
    after = step.last;
    await setImmediate();
  } while (after !== null);
  return forgotten;
}

/** Sweeps now and then for as long as the node runs. Returns how to stop. */
export function startRetention(params: {
  store: Store;
  settings: RetentionSettings;
  clocks: RetentionClocks;
  swept: (result: Swept | SweepRefused) => void;
  failed: (error: unknown) => void;
}): () => void {
  const { store, settings, clocks, swept, failed } = params;
  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    sweep(store, settings, clocks)
      .then(swept, failed)
      .finally(() => {
        running = false;
      });
  }, settings.everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
