const PAGE_BYTES = 4_096;

/**
 * Places for the payloads of one batch or message. An allocation for each costs five times as much as everything
 * else about it; one for all would keep a megabyte alive for as long as the last of them.
 * So a few share a page: of a batch that is gone, one that is left keeps four kilobytes at most.
 */
export class PayloadPages {
  #page = Buffer.alloc(0);
  #used = 0;
  /** All that was placed so far. A page is no larger: few small ones do not take a large one. */
  #placed = 0;

  copy(bytes: Uint8Array): Uint8Array {
    const place = this.#take(bytes.length);
    place.set(bytes);
    return place;
  }

  encode(text: string): Uint8Array {
    const place = this.#take(Buffer.byteLength(text));
    this.#page.write(text, place.byteOffset - this.#page.byteOffset);
    return place;
  }

  #take(length: number): Uint8Array {
    if (this.#used + length > this.#page.length) {
      this.#page = Buffer.allocUnsafeSlow(Math.max(length, Math.min(PAGE_BYTES, this.#placed)));
      this.#used = 0;
    }
    const place = new Uint8Array(this.#page.buffer, this.#used, length);
    this.#used += length;
    this.#placed += length;
    return place;
  }
}
