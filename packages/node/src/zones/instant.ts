import type { Zone } from '@signalbox/engine';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
const LOCAL = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?)?$/;

/**
 * Milliseconds of an ISO 8601 instant. Without Z or an offset it is what the wall clock of the zone
 * shows, a date alone its midnight. Null where it is neither.
 */
export function parseInstant(text: string, zone: Zone): number | null {
  if (INSTANT.test(text)) return existing(Date.parse(text));
  if (!LOCAL.test(text)) return null;
  const wallMs = existing(Date.parse(text.includes('T') ? `${text}Z` : `${text}T00:00Z`));
  if (wallMs === null) return null;
  // The offset a moment before the wall shows this: in a repeated hour that is the first of two.
  const guessMs = wallMs - zone.spanAt(wallMs).offsetMs;
  const { offsetMs } = zone.spanAt(guessMs - 1);
  const earlyMs = wallMs - offsetMs;
  return zone.spanAt(earlyMs).offsetMs === offsetMs ? earlyMs : guessMs;
}

function existing(ms: number): number | null {
  return Number.isNaN(ms) ? null : ms;
}
