/** The ids are at most this old, as long as reading them is quick. */
const MAX_AGE_MS = 3_000;
/** The pause after a reading is this many times its duration: many keys are read less often. */
const PAUSE_FACTOR = 20;

/**
 * The ids of all keys, read at once. In a flood of wrong keys this bounds the reads of the store, and keys that
 * this node has not seen yet are still found.
 */
export class KeyDirectory {
  readonly #readIds: () => Promise<ReadonlySet<string>>;
  readonly #monotonicMs: () => number;
  #ids: ReadonlySet<string> = new Set();
  #nextMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(readIds: () => Promise<ReadonlySet<string>>, monotonicMs: () => number) {
    this.#readIds = readIds;
    this.#monotonicMs = monotonicMs;
  }

  async has(id: string): Promise<boolean> {
    if (this.#monotonicMs() >= this.#nextMs) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = null;
      });
      await this.#reading;
    }
    return this.#ids.has(id);
  }

  async #read(): Promise<void> {
    const startMs = this.#monotonicMs();
    this.#ids = await this.#readIds();
    const endMs = this.#monotonicMs();
    this.#nextMs = Math.max(startMs + MAX_AGE_MS, endMs + (endMs - startMs) * PAUSE_FACTOR);
  }
}
