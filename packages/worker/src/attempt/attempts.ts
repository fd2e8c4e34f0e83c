import { type Ref, RefMap, type Resources } from '@signalbox/protocol/link';
import { Capacity, NOTHING, sum } from '../capacity.ts';
import type { Link } from '../link/link.ts';
import type { HeldAttempt } from './held-attempt.ts';

/**
 * The attempts that run and the results that are not confirmed yet. A forgotten attempt may still occupy
 * capacity, because a handler in this process cannot be killed.
 */
export class Attempts {
  readonly capacity: Capacity;
  readonly #held = new RefMap<HeldAttempt>();
  /** Forgotten, but still running. */
  readonly #lingering = new Set<HeldAttempt>();
  #occupying = 0;
  #running = 0;

  constructor(total: Partial<Resources>) {
    this.capacity = new Capacity(total);
  }

  /** Held and without a result. */
  get running(): number {
    return this.#running;
  }

  get size(): number {
    return this.#held.size;
  }

  get occupying(): number {
    return this.#occupying;
  }

  get(ref: Ref): HeldAttempt | undefined {
    return this.#held.get(ref);
  }

  all(): Iterable<HeldAttempt> {
    return this.#held.values();
  }

  /** Its capacity has been reserved already. */
  add(held: HeldAttempt): void {
    this.#held.set(held.ref, held);
    this.#occupying += 1;
    this.#running += 1;
  }

  /** It has a result from now on. */
  ended(held: HeldAttempt): void {
    if (this.#held.get(held.ref) === held) this.#running -= 1;
  }

  vacate(held: HeldAttempt): void {
    if (!held.occupies) return;
    held.occupies = false;
    this.#occupying -= 1;
    this.#lingering.delete(held);
    this.capacity.release(held.assign.request);
  }

  forget(held: HeldAttempt): void {
    if (this.#held.delete(held.ref) === undefined) return;
    if (held.finish === null) this.#running -= 1;
    if (held.occupies) this.#lingering.add(held);
  }

  /**
   * The use that this node does not count itself: attempts of other nodes, and handlers that outlived
   * their attempt. Without the latter a node would keep assigning attempts to a full worker.
   */
  foreignUse(link: Link): Resources {
    const foreign: Resources[] = [];
    for (const held of this.#held.values()) {
      if (held.occupies && (held.link !== link || held.isOver)) foreign.push(held.assign.request);
    }
    for (const held of this.#lingering) foreign.push(held.assign.request);
    return foreign.length === 0 ? NOTHING : sum(foreign);
  }
}
