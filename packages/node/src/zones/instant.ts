import type { Zone } from '@signalbox/engine';

const DATE = /^(\d{4}-\d\d-\d\d)/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
const LOCAL = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?)?$/;

const DAY_MS = 86_400_000;

/**
 * Milliseconds of an ISO 8601 instant. Without Z or an offset it is what the wall clock of the zone
 * shows, a date alone its midnight. Null where it is neither.
 */
export function parseInstant(text: string, zone: Zone): number | null {
  if (!isOnCalendar(text)) return null;
  if (INSTANT.test(text)) return known(Date.parse(text));
  if (!LOCAL.test(text)) return null;
  const wallMs = known(Date.parse(text.includes('T') ? `${text}Z` : `${text}T00:00Z`));
  return wallMs === null ? null : instantOf(wallMs, zone);
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

/** `Date.parse` takes 30 February for 2 March. */
function isOnCalendar(text: string): boolean {
  const date = DATE.exec(text)?.[1];
  if (date === undefined) return false;
  const midnight = known(Date.parse(`${date}T00:00Z`));
  return midnight !== null && new Date(midnight).toISOString().startsWith(date);
}

function known(ms: number): number | null {
  return Number.isNaN(ms) ? null : ms;
}
