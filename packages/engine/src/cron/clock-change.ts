import type { Cron } from './cron.ts';
import { nextLocal } from './local-search.ts';
import type { Zone, ZoneSpan } from './zone.ts';

/** No clock has ever been moved further: the largest change crosses the date line, 24 hours. */
const CHANGE_MS_MAX = 2 * 86_400_000;

/** Whether local times that match were jumped over where a span begins, and fire there instead. */
export function isShiftedWindow(cron: Cron, span: ZoneSpan): boolean {
  if (cron.gap !== 'shift' || span.startMs === -Infinity) return false;
  const before = cron.zone.spanAt(span.startMs - 1).offsetMs;
  if (before >= span.offsetMs) return false;
  const missed = nextLocal(cron.expression, (span.startMs + before) / 1_000);
  return missed !== undefined && missed < (span.startMs + span.offsetMs) / 1_000;
}

/** Instants from one to another, without the last, whose local times the policy leaves to their twins. */
export interface Suppressed {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The repeated stretch in which an instant lies and in which nothing fires, or null. */
export function suppressedAt(cron: Cron, span: ZoneSpan, atMs: number): Suppressed | null {
  switch (cron.overlap) {
    case 'both':
      return null;
    case 'first': {
      if (atMs - span.startMs > CHANGE_MS_MAX) return null;
      const repeatedMs = cron.zone.spanAt(span.startMs - 1).offsetMs - span.offsetMs;
      const untilMs = span.startMs + repeatedMs;
      return atMs < untilMs ? { fromMs: span.startMs, untilMs } : null;
    }
    case 'last': {
      if (span.endMs - atMs > CHANGE_MS_MAX) return null;
      const repeatedMs = span.offsetMs - cron.zone.spanAt(span.endMs).offsetMs;
      const fromMs = span.endMs - repeatedMs;
      return atMs >= fromMs ? { fromMs, untilMs: span.endMs } : null;
    }
  }
}

/** The clocks of a zone are moved: local time jumps from one offset to another. */
export interface ClockChange {
  readonly atMs: number;
  readonly offsetBeforeMs: number;
  readonly offsetAfterMs: number;
}

/** The changes after one instant, up to and with another. */
export function clockChanges(zone: Zone, afterMs: number, untilMs: number): ClockChange[] {
  const changes: ClockChange[] = [];
  let span = zone.spanAt(afterMs);
  while (span.endMs <= untilMs) {
    const next = zone.spanAt(span.endMs);
    if (next.offsetMs !== span.offsetMs) {
      changes.push({
        atMs: next.startMs,
        offsetBeforeMs: span.offsetMs,
        offsetAfterMs: next.offsetMs,
      });
    }
    span = next;
  }
  return changes;
}
