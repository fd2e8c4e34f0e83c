import type { Ref } from '@signalbox/protocol';
import { keyOf } from './wire-ref.ts';

/**
 * The newest confirmations. A result that comes again, because the first confirmation was lost with
 * a connection, is answered as the first time: the engine has forgotten the attempt and would call
 * it stale (h67).
 */
export class Confirmed {
  readonly #max: number;
  readonly #keys = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  add(worker: string, ref: Ref): void {
    this.#keys.add(`${worker}/${keyOf(ref)}`);
    if (this.#keys.size <= this.#max) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      break;
    }
  }

  has(worker: string, ref: Ref): boolean {
    return this.#keys.has(`${worker}/${keyOf(ref)}`);
  }
}
