import type { DstGap, DstOverlap } from '../cron.ts';
import type { RandomCron } from './random-cron.ts';

// The oracle for clock changes. It shares nothing with the search: it looks at the wall clock of
// every single minute, as the runtime shows it, and asks whether that minute matches.

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A clock that is read like a person would: date and time of the wall, nothing computed. */
export class WallClock {
  readonly #format: Intl.DateTimeFormat;

  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  }

  /** Minutes since 1970 on the wall. */
  minuteAt(utcMs: number): number {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] =
      this.#format.format(utcMs).match(/\d+/g)?.map(Number) ?? [];
    return Date.UTC(year, month - 1, day, hour, minute) / MINUTE_MS;
  }

  /** How far the wall is ahead of UTC, in minutes. */
  #aheadAt(utcMs: number): number {
    return this.minuteAt(utcMs) - utcMs / MINUTE_MS;
  }

  /** The first minutes after each change of the clocks between two instants. */
  changes(fromMs: number, untilMs: number): number[] {
    const found: number[] = [];
    for (let at = fromMs; at < untilMs; at += DAY_MS) {
      let low = at;
      let high = at + DAY_MS;
      const before = this.#aheadAt(low);
      if (this.#aheadAt(high) === before) continue;
      while (high - low > MINUTE_MS) {
        const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
        if (this.#aheadAt(middle) === before) low = middle;
        else high = middle;
      }
      found.push(high);
    }
    return found;
  }
}

/** The minutes around a clock change. */
export interface Neighbourhood {
  readonly startMs: number;
  readonly endMs: number;
  readonly changeMs: number;
  /** The wall at each minute. */
  readonly walls: readonly number[];
  /** Whether the same wall was there at an earlier minute, or comes again at a later one. */
  readonly isAgain: readonly boolean[];
  readonly comesAgain: readonly boolean[];
  /** Walls that no minute has. */
  readonly missed: readonly number[];
}

const AROUND_MS = 3 * 60 * MINUTE_MS;

export function neighbourhood(clock: WallClock, changeMs: number): Neighbourhood {
  const jump = clock.minuteAt(changeMs) - clock.minuteAt(changeMs - MINUTE_MS) - 1;
  const reachMs = AROUND_MS + Math.abs(jump) * MINUTE_MS;
  const startMs = changeMs - reachMs;
  const endMs = changeMs + reachMs;
  const walls: number[] = [];
  for (let at = startMs; at < endMs; at += MINUTE_MS) walls.push(clock.minuteAt(at));
  const isAgain = walls.map((wall, index) => walls.indexOf(wall) < index);
  const comesAgain = walls.map((wall, index) => walls.lastIndexOf(wall) > index);
  const afterJump = clock.minuteAt(changeMs);
  const missed = Array.from({ length: Math.max(0, jump) }, (_, index) => afterJump - 1 - index);
  return { startMs, endMs, changeMs, walls, isAgain, comesAgain, missed };
}

/** Every window of the neighbourhood, minute by minute. */
export function walk(
  around: Neighbourhood,
  cron: RandomCron,
  policy: { readonly gap: DstGap; readonly overlap: DstOverlap },
): number[] {
  const { gap, overlap } = policy;
  const isShifted = gap === 'shift' && around.missed.some((wall) => cron.matches(wall));
  const windows: number[] = [];
  for (const [index, wall] of around.walls.entries()) {
    const at = around.startMs + index * MINUTE_MS;
    const isLeftOut =
      (overlap === 'first' && around.isAgain[index]) ||
      (overlap === 'last' && around.comesAgain[index]);
    if ((isShifted && at === around.changeMs) || (cron.matches(wall) && !isLeftOut)) {
      windows.push(at);
    }
  }
  return windows;
}
