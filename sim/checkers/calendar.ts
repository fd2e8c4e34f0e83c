import type { RunId } from '@signalbox/engine';
import type { HistoryEvent } from '../history.ts';

/** The calendar of a history: what had passed between two moments, and what had been dropped by then. */
export class Calendar {
  /** Steps and leaps, with what they add up to. */
  readonly #offsets: { readonly t: number; readonly ms: number }[] = [];
  readonly #dropped: (HistoryEvent & { kind: 'segment.dropped' })[] = [];

  constructor(events: readonly HistoryEvent[]) {
    let ms = 0;
    for (const event of events) {
      if (event.kind === 'segment.dropped') this.#dropped.push(event);
      if (event.kind !== 'clock.step' && event.kind !== 'leap') continue;
      ms += event.byMs;
      this.#offsets.push({ t: event.t, ms });
    }
  }

  /** The most that any clock says: it may have been ahead for a while. */
  passed(from: number, to: number): number {
    const before = this.#offsets.findLast(({ t }) => t <= from)?.ms ?? 0;
    const between = this.#offsets.filter(({ t }) => t > from && t <= to);
    const most = between.reduce((max, { ms }) => Math.max(max, ms - before), 0);
    return to - from + most;
  }

  isDropped({ ms }: RunId, at: number): boolean {
    return this.#dropped.some(({ t, fromMs, toMs }) => t <= at && ms >= fromMs && ms < toMs);
  }
}
