import type { Payload } from './payload.ts';

const FIRST_BYTES = 1 << 16;

/** Counts each task once, however often it comes, in one bit per task. */
export class Tally {
  #seen = new Uint8Array(FIRST_BYTES);
  #delaysMs: number[] = [];
  handled = 0;
  duplicates = 0;

  add({ id, t0 }: Payload, atMs: number): void {
    const byte = id >> 3;
    if (byte >= this.#seen.length) this.#grow(byte);
    const bit = 1 << (id & 7);
    const before = this.#seen[byte] as number;
    if ((before & bit) !== 0) {
      this.duplicates++;
      return;
    }
    this.#seen[byte] = before | bit;
    this.handled++;
    if (t0 !== undefined) this.#delaysMs.push(atMs - t0);
  }

  takeDelays(): number[] {
    const taken = this.#delaysMs;
    this.#delaysMs = [];
    return taken;
  }

  #grow(byte: number): void {
    const larger = new Uint8Array(Math.max(byte + 1, this.#seen.length * 2));
    larger.set(this.#seen);
    this.#seen = larger;
  }
}
