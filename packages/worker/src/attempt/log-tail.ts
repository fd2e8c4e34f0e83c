import type { FromWorker, LogStream, Ref } from '@signalbox/protocol/link';

export type LogFrame = FromWorker & { readonly kind: 'log' };

const TEXT_BYTES_MAX = 65_536;
const KEPT_FRAMES_MAX = 200;
const KEPT_BYTES_MAX = 262_144;

const encoder = new TextEncoder();

/**
 * Numbers the output of an attempt, cuts it into frames, and keeps the last ones. Sent frames are kept too:
 * a node that has just restarted drops lines of attempts that it does not know yet, and a node that crashes
 * loses lines that it had not written. The number makes sure that a repeated line is stored once.
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
      // A copy: the caller's buffer may be a view of a pipe's buffer, which is reused.
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

  /** Drops the oldest frames first; the numbers show the gap. */
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

/** The end of the next frame: not within a character, unless the text is not UTF-8. */
function cut(bytes: Uint8Array, from: number): number {
  const end = from + TEXT_BYTES_MAX;
  if (end >= bytes.length) return bytes.length;
  for (let at = end; at > end - 4; at -= 1) {
    if (((bytes[at] as number) & 0xc0) !== 0x80) return at;
  }
  return end;
}
