import type { Instant } from '../session.ts';

/** A worker that has not moved for longer stands still, and the time counts against it. */
const PAUSE_MS_MAX = 1_000;

type Counted = { readonly handled: Instant['handled']; readonly usage: { readonly atMs: number } };

/**
 * Tasks per second between two instants. Systems that poll handle tasks in bursts: time runs from the
 * end of one burst to the end of another, or a short window would count one too many or too few.
 */
export function rateBetween(before: Counted, after: Counted): number {
  const seconds = (countedAtMs(after) - countedAtMs(before)) / 1_000;
  return (after.handled.n - before.handled.n) / seconds;
}

function countedAtMs({ handled, usage }: Counted): number {
  return usage.atMs - handled.atMs > PAUSE_MS_MAX ? usage.atMs : handled.atMs;
}
