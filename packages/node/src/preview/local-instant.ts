import type { Zone } from '@signalbox/engine';
import { LIMITS, readInstant } from '@signalbox/protocol';

const DAY_MS = 86_400_000;

/**
 * Milliseconds of an ISO 8601 instant. Without Z or an offset it is what the wall clock of the zone
 * shows, a date alone its midnight. Null where it is neither.
 */
export function parseInstant(text: string, zone: Zone): number | null {
  const written = readInstant(text);
  if (written === null) return null;
  const { wallMs, offsetMs } = written;
  const { min, max } = LIMITS.instant;
  // Checked before a zone is asked: its rules do not reach arbitrarily far.
  if (wallMs < min - DAY_MS || wallMs > max + DAY_MS) return null;
  const ms = offsetMs === null ? instantOf(wallMs, zone) : wallMs - offsetMs;
  return ms >= min && ms <= max ? ms : null;
}

/** Of a repeated hour the first; in a gap as late after it as the wall clock says. */
function instantOf(wallMs: number, zone: Zone): number {
  const before = zone.spanAt(wallMs - DAY_MS).offsetMs;
  const after = zone.spanAt(wallMs + DAY_MS).offsetMs;
  const isAfter =
    zone.spanAt(wallMs - before).offsetMs !== before &&
    zone.spanAt(wallMs - after).offsetMs === after;
  return wallMs - (isAfter ? after : before);
}
