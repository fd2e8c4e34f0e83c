import type { LogLineRow } from '@signalbox/store';
import { LINES_OVERLAP_MS } from './run-lines.ts';

/** Bounds the id of an event; lines of further attempts may be sent again after a reconnect. */
const ATTEMPTS_MAX = 32;
const ENTRY = /^([0-9a-z]{1,8})\.([0-9a-z]{1,8})\.([0-9a-z]{1,10})$/;

type Place = Pick<LogLineRow, 'task' | 'attempt' | 'number'>;

interface Last {
  readonly number: number;
  readonly atMs: number;
}

/**
 * Which log lines of a run a client has: all before a time, and of attempts that printed within the overlap of
 * that time those up to a number. It is part of the id of each event, so that a resumed stream neither repeats a
 * line nor leaves one out. Where that cannot be known, lines are repeated.
 */
export class SentLines {
  /** Lines before this time, less the overlap, have been sent. */
  upToMs: number;
  readonly #last = new Map<string, Last>();
  readonly #resumed = new Map<string, number>();

  private constructor(upToMs: number) {
    this.upToMs = upToMs;
  }

  static parse(text: string): SentLines {
    const [time = '', entries = ''] = text.split('~');
    const sent = new SentLines(/^[0-9a-z]{1,10}$/.test(time) ? Number.parseInt(time, 36) : 0);
    for (const entry of entries.split(',').slice(0, ATTEMPTS_MAX)) {
      const [, task, attempt, number] = ENTRY.exec(entry) ?? [];
      if (task === undefined || attempt === undefined || number === undefined) continue;
      const last = { number: Number.parseInt(number, 36), atMs: sent.upToMs };
      sent.#last.set(`${task}.${attempt}`, last);
      sent.#resumed.set(`${task}.${attempt}`, last.number);
    }
    return sent;
  }

  /** `TIME~TASK.ATTEMPT.NUMBER,…`, all in base 36; empty where no line was sent. */
  format(): string {
    const entries: string[] = [];
    for (const [key, { number, atMs }] of this.#last) {
      if (atMs < this.upToMs - LINES_OVERLAP_MS) this.#last.delete(key);
      else entries.push(`${key}.${number.toString(36)}`);
    }
    const recent = entries.slice(-ATTEMPTS_MAX).join(',');
    if (this.upToMs === 0 && recent === '') return '';
    return `~${this.upToMs.toString(36)}${recent === '' ? '' : `~${recent}`}`;
  }

  /** Whether the client had the line when it resumed. */
  has(line: Place): boolean {
    return line.number <= (this.#resumed.get(keyOf(line)) ?? -1);
  }

  /** Whether the line, or one behind it, was sent since or before. */
  wasAdded(line: Place): boolean {
    return line.number <= (this.#last.get(keyOf(line))?.number ?? -1);
  }

  /** Notes a line that is sent. `upToMs` does not change, because lines come by task and not by time. */
  add(line: Place & Pick<LogLineRow, 'atMs'>): void {
    const key = keyOf(line);
    const last = this.#last.get(key);
    // Behind a gap, a line in between may still be stored: the place stays before the gap.
    const number =
      last === undefined || line.number === last.number + 1 ? line.number : last.number;
    this.#last.delete(key);
    this.#last.set(key, { number, atMs: Math.max(line.atMs, last?.atMs ?? 0) });
  }

  clear(): void {
    this.upToMs = 0;
    this.#last.clear();
    this.#resumed.clear();
  }
}

function keyOf({ task, attempt }: Place): string {
  return `${task.toString(36)}.${attempt.toString(36)}`;
}
