import { formatRunId, type RunId } from './run-id.ts';

const TAIL_DIGITS = 12;
const TAIL = 16 ** TAIL_DIGITS;

/**
 * Writes run ids as text, many in a row. Those of one moment differ in their last digits only: the
 * rest is made once.
 */
export class RunIdWriter {
  #last: RunId = { ms: -1, partition: -1, seq: 0 };
  #front = '';

  write(id: RunId): string {
    const { ms, partition, seq } = id;
    const last = this.#last;
    const isNear = ms === last.ms && partition === last.partition && seq < TAIL && last.seq < TAIL;
    if (!isNear) {
      const text = formatRunId(id);
      this.#last = id;
      this.#front = text.slice(0, -TAIL_DIGITS);
      return text;
    }
    return this.#front + seq.toString(16).padStart(TAIL_DIGITS, '0');
  }
}
