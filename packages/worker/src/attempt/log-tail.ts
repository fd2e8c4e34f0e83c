import type { FromWorker, LogStream, Ref } from '@signalbox/protocol/link';

export type LogFrame = FromWorker & { readonly kind: 'log' };

const TEXT_BYTES_MAX = 65_536;
const KEPT_FRAMES_MAX = 200;
const KEPT_BYTES_MAX = 262_144;

const encoder = new TextEncoder();

/**
 * What an attempt prints: numbered, cut to size, and the end of it kept. Kept also when it was sent:
 * a node that has just come back does not know the attempt yet and forgets its lines, and one that
 * dies takes with it what it had not written. Told twice is written once, by the number.
 */
export class LogTail {
  #number = 0;
  #kept: LogFrame[] = [];
  #keptBytes = 0;
  readonly #ref: Ref;

  constructor(ref: Ref) {
    this.#ref = ref;
  }

  *frames(stream: LogStream, text: string | Uint8Array): Generator<LogFrame> {
    const bytes = typeof text === 'string' ? encoder.encode(text) : text;
    for (let at = 0; at < bytes.length; ) {
      const end = cut(bytes, at);
      // A copy: the caller's buffer may be a view of a pipe's, filled anew in a moment.
      yield {
        kind: 'log',
        ref: this.#ref,
        stream,
        number: this.#number,
        text: bytes.slice(at, end),
      };
      this.#number += 1;
      at = end;
    }
  }

  /** The oldest go first; the gap shows in the numbers. */
  keep(frame: LogFrame): void {
    this.#kept.push(frame);
    this.#keptBytes += frame.text.length;
    while (this.#kept.length > KEPT_FRAMES_MAX || this.#keptBytes > KEPT_BYTES_MAX) {
      this.#keptBytes -= this.#kept.shift()?.text.length ?? 0;
    }
  }

  get kept(): readonly LogFrame[] {
    return this.#kept;
  }
}

/** Where the next piece ends: not within a character, unless it is not UTF-8 anyway. */
function cut(bytes: Uint8Array, from: number): number {
  const end = from + TEXT_BYTES_MAX;
  if (end >= bytes.length) return bytes.length;
  for (let at = end; at > end - 4; at -= 1) {
    if (((bytes[at] as number) & 0xc0) !== 0x80) return at;
  }
  return end;
}
