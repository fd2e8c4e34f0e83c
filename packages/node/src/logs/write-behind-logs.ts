import { type LogLineRow, type Store, StoreError } from '@signalbox/store';
import type { Logger } from 'pino';
import type { TaskLogs } from '../context.ts';
import { cleanText } from './clean-text.ts';
import { DroppedLines } from './dropped-lines.ts';

export interface WriteBehindLogsParams {
  readonly store: Pick<Store, 'appendLogs'>;
  readonly now: () => number;
  readonly log: Logger;
  /** How much may wait for the store before lines are dropped. */
  readonly linesMax?: number;
  readonly charactersMax?: number;
  readonly batchMax?: number;
  readonly delayMs?: number;
  /** Before a batch that the store would not take is tried again. */
  readonly retryMs?: number;
}

/**
 * What tasks print, gathered and written in batches behind their back. A slow store costs lines,
 * never memory without end and never a task's time; where lines are missing, a line says so.
 */
export class WriteBehindLogs implements TaskLogs {
  readonly #p: Required<WriteBehindLogsParams>;
  readonly #dropped = new DroppedLines();
  readonly #listeners = new Set<(line: LogLineRow) => void>();
  #waiting: LogLineRow[] = [];
  #characters = 0;
  /** Lines that were ever kept to be written, and how many of these have left. */
  #keptCount = 0;
  #leftCount = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<boolean> | null = null;

  constructor(params: WriteBehindLogsParams) {
    const bounds = { linesMax: 20_000, charactersMax: 16_777_216, batchMax: 500 };
    this.#p = { ...bounds, delayMs: 50, retryMs: 500, ...params };
  }

  get droppedLines(): number {
    return this.#dropped.total;
  }

  append(line: Parameters<TaskLogs['append']>[0]): void {
    const row: LogLineRow = { ...line, atMs: this.#p.now(), text: cleanText(line.text) };
    for (const listener of this.#listeners) this.#tell(listener, row);
    if (this.#isFull(row)) this.#dropped.add(row);
    else this.#keep(row);
    this.#arm(this.#p.delayMs);
  }

  /** Calls back for every line as it comes, before it is stored; answers how to stop. */
  onLine(listener: (line: LogLineRow) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Resolves when everything that waits now has been offered to the store; what it refused waits on.
   * Lines that come meanwhile are not waited for: one task that prints without end would keep every
   * reader of logs waiting.
   */
  async flush(): Promise<void> {
    this.#payNotices();
    const last = this.#keptCount;
    while (this.#leftCount < last) if (!(await this.#write())) return;
    if (this.#waiting.length > 0) void this.#write();
  }

  /** Flushes and writes no more. */
  async stop(): Promise<void> {
    await this.flush();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #isFull(row: LogLineRow): boolean {
    return (
      this.#waiting.length >= this.#p.linesMax ||
      this.#characters + row.text.length > this.#p.charactersMax
    );
  }

  #keep(row: LogLineRow): void {
    this.#waiting.push(row);
    this.#keptCount++;
    this.#characters += row.text.length;
  }

  #tell(listener: (line: LogLineRow) => void, row: LogLineRow): void {
    try {
      listener(row);
    } catch (error) {
      this.#p.log.error({ err: error }, 'a watcher of log lines failed');
    }
  }

  #arm(ms: number): void {
    if (this.#timer !== null || this.#writing !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#write();
    }, ms);
    this.#timer.unref();
  }

  /** One batch, one at a time; answers whether the store took it. */
  #write(): Promise<boolean> {
    this.#writing ??= this.#writeBatch().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  async #writeBatch(): Promise<boolean> {
    const batch = this.#waiting.slice(0, this.#p.batchMax);
    const taken = batch.length === 0 || (await this.#offer(batch));
    if (taken) {
      this.#waiting = this.#waiting.slice(batch.length);
      this.#leftCount += batch.length;
      for (const { text } of batch) this.#characters -= text.length;
      this.#payNotices();
    }
    if (this.#waiting.length > 0) queueMicrotask(() => this.#arm(taken ? 0 : this.#p.retryMs));
    return taken;
  }

  async #offer(batch: readonly LogLineRow[]): Promise<boolean> {
    try {
      await this.#p.store.appendLogs(batch);
      return true;
    } catch (error) {
      this.#p.log.warn({ err: error, lines: batch.length }, 'log lines could not be stored');
      // What is wrong with the lines themselves stays wrong: kept, it would hold up all others. No
      // notice is owed for them: it would carry the same fault and be refused in turn, for ever.
      if (!(error instanceof StoreError) || error.kind !== 'invalid') return false;
      this.#dropped.total += batch.length;
      return true;
    }
  }

  #payNotices(): void {
    if (this.#waiting.length >= this.#p.linesMax) return;
    for (const notice of this.#dropped.take()) this.#keep(notice);
  }
}
