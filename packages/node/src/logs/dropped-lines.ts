import type { LogLineRow } from '@signalbox/store';

/** Attempts of which a notice is owed at once; beyond it lines are dropped without one. */
const ATTEMPTS_MAX = 10_000;

interface Gap {
  first: LogLineRow;
  count: number;
}

/** Lines that had to be dropped, by attempt: each gap is owed one line that says so. */
export class DroppedLines {
  readonly #gaps = new Map<string, Gap>();
  /** In all, for whoever counts. */
  total = 0;

  add(line: LogLineRow): void {
    this.total++;
    const { run, task, attempt } = line;
    const key = `${run.partition}/${run.seq}/${run.ms}/${task}/${attempt}`;
    const gap = this.#gaps.get(key);
    if (gap !== undefined) {
      gap.count++;
      // Lines that make room for others are dropped from the newest backwards.
      if (line.number < gap.first.number) gap.first = line;
    } else if (this.#gaps.size < ATTEMPTS_MAX) this.#gaps.set(key, { first: line, count: 1 });
  }

  /** The notices that are owed. Each takes the number of the first line that it stands for. */
  take(): LogLineRow[] {
    const notices = [...this.#gaps.values()].map(
      ({ first, count }): LogLineRow => ({
        ...first,
        stream: 'log',
        text: `${count} log lines were dropped here, because the store was too slow`,
      }),
    );
    this.#gaps.clear();
    return notices;
  }
}
