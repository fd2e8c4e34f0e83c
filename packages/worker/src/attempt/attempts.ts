import type { Ref, Resources } from '@signalbox/protocol/link';
import { Capacity, NOTHING, sum } from '../capacity.ts';
import type { Link } from '../link/link.ts';
import { type HeldAttempt, keyOf } from './held-attempt.ts';

/**
 * Everything the worker must not forget: the attempts that run and the results that nobody has
 * confirmed. An attempt that is not held may still occupy: a handler cannot be killed in process.
 */
export class Attempts {
  readonly capacity: Capacity;
  readonly #held = new Map<string, HeldAttempt>();
  readonly #occupying = new Set<HeldAttempt>();
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
    return this.#occupying.size;
  }

  get(ref: Ref): HeldAttempt | undefined {
    return this.#held.get(keyOf(ref));
  }

  all(): IterableIterator<HeldAttempt> {
    return this.#held.values();
  }

  /** The capacity has been taken for it. */
  add(held: HeldAttempt): void {
    this.#held.set(held.key, held);
    this.#occupying.add(held);
    this.#running += 1;
  }

  /** It has a result from here on. */
  ended(held: HeldAttempt): void {
    if (this.#held.get(held.key) === held) this.#running -= 1;
  }

  vacate(held: HeldAttempt): void {
    if (!this.#occupying.delete(held)) return;
    held.occupies = false;
    this.capacity.release(held.assign.request);
  }

  forget(held: HeldAttempt): void {
    if (!this.#held.delete(held.key)) return;
    if (held.finish === null) this.#running -= 1;
  }

  /** What is taken by attempts that this node does not know of. */
  foreignUse(link: Link): Resources {
    let foreign: Resources[] | null = null;
    for (const held of this.#occupying) {
      if (held.link === link) continue;
      foreign ??= [];
      foreign.push(held.assign.request);
    }
    return foreign === null ? NOTHING : sum(foreign);
  }
}
