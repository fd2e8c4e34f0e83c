import type { PaceLimits } from '../transport/transport.ts';

type Cost = { readonly frames: number; readonly bytes: number };

/**
 * A rate limit with a burst of one second. Without it, a worker that reconnects with many large results would
 * exceed the node's limits, be disconnected, reconnect, and send them again.
 */
export class Pace {
  readonly #limits: PaceLimits;
  readonly #now: () => number;
  #left: { messages: number; frames: number; bytes: number };
  #at: number;

  constructor(limits: PaceLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#left = { ...limits };
    this.#at = now();
  }

  /** Whether the message may be sent now; if so, it is counted. */
  take(cost: Cost): boolean {
    this.#refill();
    const left = this.#left;
    if (left.messages < 1 || left.frames < cost.frames || left.bytes < cost.bytes) return false;
    left.messages -= 1;
    left.frames -= cost.frames;
    left.bytes -= cost.bytes;
    return true;
  }

  #refill(): void {
    const now = this.#now();
    const seconds = (now - this.#at) / 1_000;
    this.#at = now;
    for (const what of ['messages', 'frames', 'bytes'] as const) {
      const full = this.#limits[what];
      this.#left[what] = Math.min(full, this.#left[what] + seconds * full);
    }
  }
}
