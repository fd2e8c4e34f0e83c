import type { Zone, ZoneSpan } from '@signalbox/engine';

const DAY_MS = 86_400_000;
const AVERAGE_YEAR_MS = 365.2425 * DAY_MS;

/**
 * Clocks are looked at this often. Since 1970 no zone has moved its clocks twice within six days, so
 * no change and its reversal hide between two looks.
 */
const LOOK_MS = 5 * DAY_MS;

/** Blocks of a year that one zone remembers; one who asks for millennia does not fill the memory. */
const BLOCKS_MAX = 256;

/** Offsets as the time zone data of the runtime has them. Throws RangeError for an unknown name. */
function offsetReader(name: string): (utcMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    timeZoneName: 'longOffset',
    year: 'numeric',
  });
  return (utcMs) => {
    const text = format.format(utcMs);
    const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
    if (match === null) throw new Error(`no offset in ${JSON.stringify(text)}`);
    const [, sign, hours = 0, minutes = 0, seconds = 0] = match;
    const size = Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1_000;
    return sign === '-' ? -size : size;
  };
}

/** A clock change: from this instant on, this offset. */
interface Change {
  readonly atMs: number;
  readonly offsetMs: number;
}

/** One year, roughly: block 0 begins in 1970. */
interface Block {
  readonly startMs: number;
  readonly endMs: number;
  /** At its beginning. */
  readonly offsetMs: number;
  readonly changes: readonly Change[];
}

/**
 * A zone by the data of the runtime. Asking it costs microseconds, a hundred times more than finding
 * a window, so clock changes are looked for once in each year that is asked about, and kept.
 */
export class IntlZone implements Zone {
  readonly name: string;
  readonly #offsetAt: (utcMs: number) => number;
  readonly #blocks = new Map<number, Block>();
  readonly #spans = new Map<number, readonly ZoneSpan[]>();
  #last: ZoneSpan = { startMs: 0, endMs: 0, offsetMs: 0 };

  constructor(name: string) {
    this.name = name;
    this.#offsetAt = offsetReader(name);
  }

  spanAt(utcMs: number): ZoneSpan {
    const last = this.#last;
    if (utcMs >= last.startMs && utcMs < last.endMs) return last;
    const spans = this.#spansOf(Math.floor(utcMs / AVERAGE_YEAR_MS));
    const found = spans.find((span) => utcMs < span.endMs);
    if (found === undefined) throw new RangeError(`no clock is known at ${utcMs}`);
    this.#last = found;
    return found;
  }

  /** The spans that a block touches, with the years beside it, so that none ends close to its edge. */
  #spansOf(index: number): readonly ZoneSpan[] {
    const known = this.#spans.get(index);
    if (known !== undefined) return known;
    const before = this.#blockOf(index - 1);
    const after = this.#blockOf(index + 1);
    const spans: ZoneSpan[] = [];
    let { startMs, offsetMs } = before;
    for (const change of [...before.changes, ...this.#blockOf(index).changes, ...after.changes]) {
      spans.push({ startMs, endMs: change.atMs, offsetMs });
      ({ atMs: startMs, offsetMs } = change);
    }
    spans.push({ startMs, endMs: after.endMs, offsetMs });
    if (this.#spans.size >= BLOCKS_MAX) this.#spans.clear();
    this.#spans.set(index, spans);
    return spans;
  }

  #blockOf(index: number): Block {
    const known = this.#blocks.get(index);
    if (known !== undefined) return known;
    const startMs = wholeSecond(index * AVERAGE_YEAR_MS);
    const endMs = wholeSecond((index + 1) * AVERAGE_YEAR_MS);
    const changes: Change[] = [];
    const offsetMs = this.#offsetAt(startMs);
    let offsetBefore = offsetMs;
    for (let fromMs = startMs; fromMs < endMs; fromMs += LOOK_MS) {
      const untilMs = Math.min(fromMs + LOOK_MS, endMs);
      const offsetAfter = this.#offsetAt(untilMs);
      if (offsetAfter !== offsetBefore) {
        changes.push({ atMs: this.#findChange(fromMs, untilMs), offsetMs: offsetAfter });
      }
      offsetBefore = offsetAfter;
    }
    const block: Block = { startMs, endMs, offsetMs, changes };
    if (this.#blocks.size >= BLOCKS_MAX) this.#blocks.clear();
    this.#blocks.set(index, block);
    return block;
  }

  /** The first second with another offset than at the beginning. */
  #findChange(fromMs: number, untilMs: number): number {
    const offsetMs = this.#offsetAt(fromMs);
    let low = fromMs;
    let high = untilMs;
    while (high - low > 1_000) {
      const middle = wholeSecond((low + high) / 2);
      if (this.#offsetAt(middle) === offsetMs) low = middle;
      else high = middle;
    }
    return high;
  }
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}
