import type { Cron } from './cron.ts';
import { nextWindow, previousWindow } from './windows.ts';

/** The windows of a schedule as instants in milliseconds. Both answers are strictly beyond `at`. */
interface Windows {
  next(at: number): number | null;
  previous(at: number): number | null;
}

export function cronWindows(cron: Cron): Windows {
  return {
    next: (at) => nextWindow(cron, at),
    previous: (at) => previousWindow(cron, at),
  };
}

/**
 * Every so often, counted from a fixed instant and in both directions: a late run moves nothing, so
 * the ten-thousandth window is where the first one says.
 */
export function intervalWindows(everyMs: number, anchorMs: number): Windows {
  // Without this, `next` would answer the same instant for ever.
  if (!(everyMs >= 1)) throw new RangeError(`an interval must be at least 1 ms, not ${everyMs}`);
  return {
    next: (at) => anchorMs + (Math.floor((at - anchorMs) / everyMs) + 1) * everyMs,
    previous: (at) => anchorMs + (Math.ceil((at - anchorMs) / everyMs) - 1) * everyMs,
  };
}

export function instantWindows(instantMs: number): Windows {
  return {
    next: (at) => (at < instantMs ? instantMs : null),
    previous: (at) => (at > instantMs ? instantMs : null),
  };
}
