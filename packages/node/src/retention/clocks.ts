import type { Store } from '@signalbox/store';

const HOUR = 3_600_000;
/** Clocks that are further apart than this do not say what is old. */
const DISAGREEMENT_MS_MAX = HOUR;
/** A clock that is ahead of the journal after a start is believed once it has held for this long. */
const BELIEVED_AFTER_MS = 24 * HOUR;

/** Clocks besides the store's. */
export interface RetentionClocks {
  /** The calendar clock of this machine. */
  calendarMs(): number;
  /** The time that decisions use, and that ids of runs are made of. */
  serverMs(): number;
  monotonicMs(): number;
  /** What the journal knew when this process started; null where it held no run. */
  readonly journal: { readonly usedUntilMs: number; readonly readAtMonotonicMs: number } | null;
}

/** What the clocks said when a sweep began. */
export interface ClockReading {
  readonly storeMs: number;
  readonly calendarMs: number;
  readonly serverMs: number;
}

export type RetentionTime =
  /** Nothing that was submitted at or after `nowMs` is old, whichever clock is right. */
  | { readonly kind: 'known'; readonly nowMs: number }
  | { readonly kind: 'disagree'; readonly clocks: ClockReading };

/** To be read before the node takes a partition: from then on it writes to the journal itself. */
export async function readJournalTime(
  store: Store,
  monotonicMs: number,
): Promise<RetentionClocks['journal']> {
  const used = await store.lastUsedSegment();
  return used === null ? null : { usedUntilMs: used.toMs, readAtMonotonicMs: monotonicMs };
}

/**
 * The time by which history is old. A drop cannot be taken back, and a segment that was dropped takes
 * no run any more: under a clock that is months ahead, one sweep would drop the present, and every
 * submission would be refused until the right clock has passed it. So several clocks are asked, and
 * the earliest counts; where they are far apart, none does.
 */
export function retentionTime(storeMs: number, clocks: RetentionClocks): RetentionTime {
  const calendarMs = clocks.calendarMs();
  const serverMs = clocks.serverMs();
  const all = [storeMs, calendarMs, serverMs];
  const earliest = Math.min(...all);
  if (!(Math.max(...all) - earliest <= DISAGREEMENT_MS_MAX)) {
    return { kind: 'disagree', clocks: { storeMs, calendarMs, serverMs } };
  }
  return { kind: 'known', nowMs: Math.min(earliest, journalBound(clocks)) };
}

/**
 * On one machine all clocks may be wrong together, and after a start nothing tells a clock that is
 * months ahead from months without a node. The journal does not know of these months, so for a day
 * time passes as if there had been none: long enough for a person to notice.
 */
function journalBound({ journal, monotonicMs }: RetentionClocks): number {
  if (journal === null) return Number.POSITIVE_INFINITY;
  const upMs = monotonicMs() - journal.readAtMonotonicMs;
  return upMs >= BELIEVED_AFTER_MS ? Number.POSITIVE_INFINITY : journal.usedUntilMs + upMs;
}
