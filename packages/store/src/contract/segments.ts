import type { Segment } from '../run-segment.ts';

/*
 * Segments: the rows of one span of time (runs, ends, parked, logs) or of one range of seqs (groups), in
 * tables that are dropped whole.
 *
 *   run segment:    absent ─ensureSegments, append─▶ open ─sealSegment─▶ sealed ─dropSegment─▶ dropped
 *   group segment:  absent ─acquireLease, append─▶ present ─dropGroupsBefore─▶ absent
 *
 * A dropped run segment is remembered: it is never created again, so a dropped run cannot come back. The
 * last seq of dropped groups is remembered as well, so numbering continues (I9).
 *
 * Callers: the node creates segments ahead (`loop/segments-ahead.ts`); retention seals and drops. Several
 * nodes may do both at once.
 *
 * Atomic: each transition, with the change of its tables. Sealing counts open runs and excludes writers of
 * the segment in one transaction, so no run is open in a sealed segment.
 *
 * Failures: writes to a sealed or dropped segment are `invalid`; late log lines are left out. On PostgreSQL
 * a transition waits briefly for its locks and is repeated, because commits queue behind it; after many
 * attempts it is `conflict`, and the caller repeats it later.
 */
export interface SegmentStore {
  /** Creates run segments ahead for ids up to `untilMs`; idempotent. */
  ensureSegments(query: { untilMs: number }): Promise<void>;
  /** Run segments, oldest first. */
  listSegments(): Promise<Segment[]>;
  /**
   * The newest segment that holds a run, or null. However wrong a clock is, runs were submitted up to this
   * segment.
   */
  lastUsedSegment(): Promise<Segment | null>;
  /**
   * Seals a segment that is entirely in the past (`toMs` <= the store's now) and whose runs have all ended.
   * For a sealed or dropped segment nothing changes, and the result is `sealed`.
   */
  sealSegment(fromMs: number): Promise<{ sealed: boolean; openRuns: number }>;
  /** Drops a sealed segment with its rows. `invalid` if it is not sealed; a no-op if it was dropped before. */
  dropSegment(fromMs: number): Promise<void>;
  /** Drops whole group segments that every checkpoint has passed; returns the number of dropped segments. */
  dropGroupsBefore(query: { beforeMs: number }): Promise<number>;
}
