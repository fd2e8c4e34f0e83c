import { StoreError } from './errors.ts';

/** A day: few enough tables to walk, small enough to drop old runs in useful steps. */
export const SEGMENT_MS_DEFAULT = 86_400_000;

/** The runs of one span of time, by the time in their ids. */
export interface Segment {
  readonly fromMs: number;
  readonly toMs: number;
  readonly sealed: boolean;
  /** By the store's clock; absent while the segment is open. */
  readonly sealedAtMs?: number;
}

const SEGMENTS_AHEAD_MAX = 10_000;

/** Where the segment of a millisecond begins. */
export function segmentFromMs(ms: number, segmentMs: number): number {
  return Math.floor(ms / segmentMs) * segmentMs;
}

/**
 * The segments that `ensureSegments` creates if missing. The one before the present is among them, because
 * the clock that numbers runs may be slightly behind the store's clock.
 */
export function segmentsToCreate(params: {
  nowMs: number;
  untilMs: number;
  segmentMs: number;
}): number[] {
  const first = Math.max(0, segmentFromMs(params.nowMs, params.segmentMs) - params.segmentMs);
  // A time in the wrong unit would otherwise create tables until the disk is full.
  if ((params.untilMs - first) / params.segmentMs > SEGMENTS_AHEAD_MAX) {
    throw new StoreError('invalid', `the time ${params.untilMs} is too many segments ahead`);
  }
  const segments: number[] = [];
  for (let fromMs = first; fromMs <= params.untilMs; fromMs += params.segmentMs) {
    segments.push(fromMs);
  }
  return segments;
}
