import { closedAt } from './calendar.ts';
import { SECONDS_PER_DAY } from './civil.ts';
import { isShiftedWindow, suppressedAt } from './clock-change.ts';
import type { Cron } from './cron.ts';
import { nextLocal, previousLocal } from './local-search.ts';
import type { ZoneSpan } from './zone.ts';

// The search walks along spans of one offset. Inside of a span, local time is UTC plus a constant
// and the search is plain calendar arithmetic. Between spans lie the clock changes. A match far
// beyond the end of a span is jumped to: no local time before it matches, whatever clocks do. Only
// a change close to where the search began is walked over, because it may repeat local times from
// before the beginning, which were not searched.

const DAY_MS = SECONDS_PER_DAY * 1_000;

/** Above every difference between two offsets, so that a jump cannot pass over a window. */
const NEAR_MS = 2 * DAY_MS;

/**
 * How far a window may be away. The rarest date returns after 40 years; an author who skips what
 * lies in a gap can name a time that never exists.
 */
const SEARCH_MS = 41 * 366 * DAY_MS;

/**
 * Stretches of one offset that a search looks at. It jumps to a match that is far away, so it only
 * goes from stretch to stretch where clock changes swallow every match: one who skips gaps and names
 * a time in them asks for a time that never comes, and reading forty years of clocks tells no more.
 */
const SPANS_MAX = 28;

/** Closed days in a row after which a calendar counts as closed for ever. */
const CLOSED_DAYS_MAX = 1_500;

/** Instants that have a date of four digits, as the wire format wants. */
export const WINDOW_MS_MIN = -62_135_596_800_000;
export const WINDOW_MS_MAX = 253_402_300_799_999;

/** The first window after an instant: strictly later, or null where there is none. */
export function nextWindow(cron: Cron, afterMs: number): number | null {
  const { expression, zone } = cron;
  let fromMs = (Math.floor(Math.max(afterMs, WINDOW_MS_MIN) / 1_000) + 1) * 1_000;
  const untilMs = Math.min(fromMs + SEARCH_MS, WINDOW_MS_MAX);
  let closedDays = 0;
  let spans = 0;
  while (fromMs <= untilMs && closedDays <= CLOSED_DAYS_MAX && spans < SPANS_MAX) {
    const span = zone.spanAt(fromMs);
    let atMs = fromMs;
    if (fromMs !== span.startMs || !isShiftedWindow(cron, span)) {
      const local = nextLocal(expression, (fromMs + span.offsetMs) / 1_000);
      if (local === undefined) return null;
      atMs = local * 1_000 - span.offsetMs;
    }
    if (atMs >= span.endMs) {
      spans++;
      const canJump = span.endMs - fromMs > NEAR_MS;
      fromMs = canJump ? Math.max(span.endMs, atMs - NEAR_MS) : span.endMs;
      continue;
    }
    const suppressed = suppressedAt(cron, span, atMs);
    if (suppressed !== null) {
      spans++;
      fromMs = suppressed.untilMs;
    } else if (isClosed(cron, span, atMs)) {
      closedDays++;
      fromMs = Math.min(dayStartMs(span, atMs) + DAY_MS, span.endMs);
    } else return atMs <= WINDOW_MS_MAX ? atMs : null;
  }
  return null;
}

/** The last window before an instant: strictly earlier, or null where there is none. */
export function previousWindow(cron: Cron, beforeMs: number): number | null {
  const { expression, zone } = cron;
  let fromMs = (Math.ceil(Math.min(beforeMs, WINDOW_MS_MAX) / 1_000) - 1) * 1_000;
  const untilMs = Math.max(fromMs - SEARCH_MS, WINDOW_MS_MIN);
  let closedDays = 0;
  let spans = 0;
  while (fromMs >= untilMs && closedDays <= CLOSED_DAYS_MAX && spans < SPANS_MAX) {
    const span = zone.spanAt(fromMs);
    const local = previousLocal(expression, (fromMs + span.offsetMs) / 1_000);
    if (local === undefined) return null;
    let atMs = local * 1_000 - span.offsetMs;
    if (atMs < span.startMs) {
      if (!isShiftedWindow(cron, span)) {
        spans++;
        const canJump = fromMs - span.startMs > NEAR_MS;
        fromMs = canJump ? Math.min(span.startMs - 1_000, atMs + NEAR_MS) : span.startMs - 1_000;
        continue;
      }
      atMs = span.startMs;
    }
    const suppressed = suppressedAt(cron, span, atMs);
    if (suppressed !== null) {
      spans++;
      fromMs = suppressed.fromMs - 1_000;
    } else if (isClosed(cron, span, atMs)) {
      closedDays++;
      fromMs = Math.max(dayStartMs(span, atMs), span.startMs) - 1_000;
    } else return atMs >= WINDOW_MS_MIN ? atMs : null;
  }
  return null;
}

function isClosed({ calendar }: Cron, span: ZoneSpan, atMs: number): boolean {
  if (calendar === null) return false;
  return closedAt(calendar, (atMs + span.offsetMs) / 1_000) !== null;
}

/** The instant at which the local day would have begun under the offset of the span. */
function dayStartMs({ offsetMs }: ZoneSpan, atMs: number): number {
  return Math.floor((atMs + offsetMs) / DAY_MS) * DAY_MS - offsetMs;
}
