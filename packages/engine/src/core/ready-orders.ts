/** Orders within one millisecond; beyond it tasks of that millisecond tie, and stay first in, first out. */
const PER_MS = 1024;

/**
 * Numbers that sort ready tasks by the time since which they are ready, then by arrival. A run that
 * was parked arrives late but keeps its place among lanes of other shapes.
 */
export class ReadyOrders {
  #newest = { ms: 0, count: 0 };
  #earlier = { ms: 0, count: 0 };

  next(readyMs: number): number {
    const ms = Math.max(1, Math.floor(readyMs));
    // Pages of older runs arrive between new ones: with one count, the new ones would fall back.
    const last = ms >= this.#newest.ms ? this.#newest : this.#earlier;
    last.count = last.ms === ms ? Math.min(last.count + 1, PER_MS - 1) : 0;
    last.ms = ms;
    return ms * PER_MS + last.count;
  }
}
