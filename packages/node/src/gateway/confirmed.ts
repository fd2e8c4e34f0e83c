import { type Ref, RefMap } from '@signalbox/protocol';

/**
 * The newest confirmations. A result that comes again, because the first confirmation was lost with
 * a connection, is answered as the first time: the engine has forgotten the attempt and would call
 * it stale (h67).
 */
export class Confirmed {
  readonly #generation: number;
  /** Who was confirmed what. Two generations: to drop the oldest one by one costs more than to add. */
  #young = new RefMap<string>();
  #old = new RefMap<string>();

  constructor(max: number) {
    this.#generation = Math.max(1, Math.floor(max / 2));
  }

  add(worker: string, ref: Ref): void {
    if (this.#young.size >= this.#generation) {
      this.#old = this.#young;
      this.#young = new RefMap();
    }
    this.#young.set(ref, worker);
  }

  has(worker: string, ref: Ref): boolean {
    return (this.#young.get(ref) ?? this.#old.get(ref)) === worker;
  }
}
