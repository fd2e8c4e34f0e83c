import { type Ref, RefMap, type Resources } from '@signalbox/protocol/link';
import { Capacity, NOTHING, sum } from '../capacity.ts';
import type { Link } from '../link/link.ts';
import type { HeldAttempt } from './held-attempt.ts';

/**
 * Everything the worker must not forget: the attempts that run and the results that nobody has
 * confirmed. An attempt that is not held may still occupy: a handler cannot be killed in process.
 */
export class Attempts {
  readonly capacity: Capacity;
  readonly #held = new RefMap<HeldAttempt>();
  /** Forgotten, and still not gone. */
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

  /** The capacity has been taken for it. */
  add(held: HeldAttempt): void {
    this.#held.set(held.ref, held);
    this.#occupying += 1;
    this.#running += 1;
  }

  /** It has a result from here on. */
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
   * What is taken by anything that this node does not count: attempts of other nodes, and handlers
   * that outlived their attempt. Without the latter a node keeps sending attempts to a full worker.
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
