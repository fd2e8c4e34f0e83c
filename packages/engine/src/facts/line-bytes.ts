import { requireWhole } from './require-whole.ts';
import { encodeTextInto } from './text.ts';

/** Below this length a loop over the characters beats the call into the runtime. */
const SHORT_TEXT = 32;
/** The digits of the longest whole number, and its sign. */
const NUMBER_BYTES = 17;
const SMALL_MAX = 2 ** 31 - 1;
const [MINUS, ZERO] = [0x2d, 0x30];

/**
 * Text as the bytes of its UTF-8, in one growing buffer. A fact is some ten short pieces, mostly numbers:
 * put together as strings, each piece is an object for the garbage collector.
 */
export class LineBytes {
  #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: number) {
    this.#bytes = new Uint8Array(bytes);
  }

  text(value: string): void {
    this.#reserve(value.length * 3);
    this.#at += value.length < SHORT_TEXT ? this.#short(value) : this.#long(value);
  }

  /** A number that the journal may hold. */
  whole(value: number): void {
    requireWhole(value);
    if (value > SMALL_MAX || value < -SMALL_MAX) return this.text(String(value));
    this.#reserve(NUMBER_BYTES);
    if (value < 0) this.#bytes[this.#at++] = MINUS;
    let left = Math.abs(value);
    let digits = 1;
    for (let limit = 10; left >= limit; limit *= 10) digits++;
    for (let at = this.#at + digits - 1; at >= this.#at; at--) {
      const tenth = (left / 10) | 0;
      this.#bytes[at] = ZERO + left - tenth * 10;
      left = tenth;
    }
    this.#at += digits;
  }

  /** What was written; nothing may be written behind it. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  #short(value: string): number {
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i);
      if (unit >= 0x80) return this.#long(value);
      this.#bytes[this.#at + i] = unit;
    }
    return value.length;
  }

  #long(value: string): number {
    return encodeTextInto(value, this.#bytes.subarray(this.#at));
  }

  #reserve(bytes: number): void {
    const wanted = this.#at + bytes;
    if (wanted <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(wanted, this.#bytes.length * 2));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
