import { setImmediate } from 'node:timers/promises';
import type { HeldKey, Store } from '@signalbox/store';
import {
  type ClockReading,
  type RetentionClocks,
  type RetentionTime,
  retentionTime,
} from './clocks.ts';
import { type BlobsToCollect, blobHorizon } from './collect-blobs.ts';

export { type RetentionClocks, readJournalTime } from './clocks.ts';

/** On SQLite the node stands still for a step; one of 10,000 keys took 120 ms. */
const KEYS_PER_STEP = 2_000;

export interface RetentionSettings {
  /** Runs that were submitted longer ago and have all ended are dropped, a whole segment at a time. */
  readonly historyMs: number;
  /** An idempotency key is remembered for this long after the submission, and while its run lives. */
  readonly keysMs: number;
  /**
   * Packed facts are kept for this long beyond what recovery needs, for watchers that resume; so are the
   * runs that they speak of, once all of their segment have ended.
   */
  readonly factsMs: number;
  /** A blob is kept for this long before the oldest run that is kept; at least three days. */
  readonly blobsMs?: number;
  readonly everyMs: number;
}

const HOUR = 3_600_000;

const BLOBS_MS_DEFAULT = 7 * 24 * HOUR;

export const DEFAULT_RETENTION: RetentionSettings = {
  historyMs: 90 * 24 * HOUR,
  keysMs: 7 * 24 * HOUR,
  factsMs: 24 * HOUR,
  blobsMs: BLOBS_MS_DEFAULT,
  everyMs: HOUR,
};

/** Never drop a segment that ended less than this before the present, however short history is. */
const PRESENT_MS = 2 * HOUR;

/**
 * The age of a key is that of its run, by the clock of the node that took it. A node follows a step of
 * the store's clock slowly, a node that starts takes it at once: its sweep would forget keys of the
 * other nodes earlier than promised, and a submission that is repeated would become a second run.
 */
const KEYS_MARGIN_MS = 2 * HOUR;

/** What one sweep did, for the log. */
export interface Swept {
  readonly kind: 'swept';
  readonly segments: number;
  readonly groupSegments: number;
  readonly keys: number;
  readonly blobs: number;
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
 * Without `clocks` the store's clock alone decides; without `blobs` none are collected.
 */
export async function sweep(
  store: Store,
  settings: RetentionSettings,
  more: { readonly clocks?: RetentionClocks; readonly blobs?: BlobsToCollect } = {},
): Promise<Swept | SweepRefused> {
  const { clocks, blobs } = more;
  const storeMs = await store.now();
  const time: RetentionTime =
    clocks === undefined ? { kind: 'known', nowMs: storeMs } : retentionTime(storeMs, clocks);
  if (time.kind === 'disagree') return { kind: 'refused', clocks: time.clocks };
  const { nowMs: now } = time;
  if (clocks === undefined) return sweepAt(store, settings, { now, blobs });
  const historyMs = Math.max(settings.historyMs, PRESENT_MS);
  const keysMs = settings.keysMs + KEYS_MARGIN_MS;
  return sweepAt(store, { ...settings, historyMs, keysMs }, { now, blobs });
}

async function sweepAt(
  store: Store,
  settings: RetentionSettings,
  { now, blobs }: { now: number; blobs: BlobsToCollect | undefined },
): Promise<Swept> {
  let segments = 0;
  let heldBy: Swept['heldBy'] = null;
  for (const segment of await store.listSegments()) {
    if (segment.toMs > now - settings.historyMs) break;
    if (!segment.sealed) {
      const { sealed, openRuns } = await store.sealSegment(segment.fromMs);
      if (!sealed) heldBy ??= { fromMs: segment.fromMs, openRuns };
      continue;
    }
    // A watcher that resumes is told of a run by its row: the row stays until the facts are gone.
    if ((segment.sealedAtMs ?? 0) > now - settings.factsMs) continue;
    await store.dropSegment(segment.fromMs);
    segments++;
  }
  const groupSegments = await store.dropGroupsBefore({ beforeMs: now - settings.factsMs });
  const keys = await forgetKeys(store, now - settings.keysMs);
  const collected = blobs === undefined ? 0 : await collect({ store, settings, now, ...blobs });
  return { kind: 'swept', segments, groupSegments, keys, blobs: collected, heldBy };
}

/** Behind the segments: the runs that went with them are the ones that kept blobs. */
async function collect(
  params: BlobsToCollect & { store: Store; settings: RetentionSettings; now: number },
): Promise<number> {
  const { store, settings, now, blobs, partitions } = params;
  const { historyMs, blobsMs = BLOBS_MS_DEFAULT } = settings;
  const historyBeforeMs = now - historyMs;
  return blobs.collect(await blobHorizon({ store, partitions, historyBeforeMs, blobsMs }));
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
  blobs: BlobsToCollect;
  swept: (result: Swept | SweepRefused) => void;
  failed: (error: unknown) => void;
}): () => void {
  const { store, settings, clocks, blobs, swept, failed } = params;
  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    sweep(store, settings, { clocks, blobs })
      .then(swept, failed)
      .finally(() => {
        running = false;
      });
  }, settings.everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
