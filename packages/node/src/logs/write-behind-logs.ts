import { type LogLineRow, type Store, StoreError } from '@signalbox/store';
import type { Logger } from '../settings/log-events.ts';
import { cleanText } from './clean-text.ts';
import { DroppedLines } from './dropped-lines.ts';
import type { TaskLogs } from './task-logs.ts';
import { WaitingLines } from './waiting-lines.ts';

export interface WriteBehindLogsParams {
  readonly store: Pick<Store, 'appendLogs'>;
  readonly now: () => number;
  readonly log: Logger;
  /** How much may wait for the store before lines are dropped, those of the tenant with the most first. */
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
  readonly #waiting: WaitingLines;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<boolean> | null = null;

  constructor(params: WriteBehindLogsParams) {
    const bounds = { linesMax: 20_000, charactersMax: 16_777_216, batchMax: 500 };
    this.#p = { ...bounds, delayMs: 50, retryMs: 500, ...params };
    this.#waiting = new WaitingLines(this.#p);
  }

  get droppedLines(): number {
    return this.#dropped.total;
  }

  append(line: Parameters<TaskLogs['append']>[0]): void {
    const row: LogLineRow = { ...line, atMs: this.#p.now(), text: cleanText(line.text) };
    for (const listener of this.#listeners) this.#tell(listener, row);
    for (const dropped of this.#waiting.add(row)) this.#dropped.add(dropped);
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
    const hasLeft = this.#waiting.mark();
    while (!hasLeft()) if (!(await this.#write())) return;
    if (this.#waiting.count > 0) void this.#write();
  }

  /** Flushes and writes no more. */
  async stop(): Promise<void> {
    await this.flush();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #tell(listener: (line: LogLineRow) => void, row: LogLineRow): void {
    try {
      listener(row);
    } catch (error) {
      this.#p.log.error({ event: 'log_lines.listener_failed', err: error }, 'log reader failed');
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
    const batch = this.#waiting.offer(this.#p.batchMax);
    const taken = batch.length === 0 || (await this.#offer(batch));
    this.#waiting.settle(taken);
    if (taken) this.#payNotices();
    if (this.#waiting.count > 0) queueMicrotask(() => this.#arm(taken ? 0 : this.#p.retryMs));
    return taken;
  }

  async #offer(batch: readonly LogLineRow[]): Promise<boolean> {
    try {
      await this.#p.store.appendLogs(batch);
      return true;
    } catch (error) {
      // What is wrong with a line stays wrong: kept, it would hold up all others. It is found by halves,
      // because the lines beside it may be another tenant's.
      const isInvalid = error instanceof StoreError && error.kind === 'invalid';
      if (isInvalid && batch.length > 1) return this.#offerHalves(batch);
      const fields = { err: error, lines: batch.length };
      this.#p.log.warn({ event: 'log_lines.store_failed', ...fields }, 'log lines not stored');
      if (!isInvalid) return false;
      // No notice is owed for it: that would carry the same fault and be refused in turn.
      this.#dropped.total += batch.length;
      return true;
    }
  }

  async #offerHalves(batch: readonly LogLineRow[]): Promise<boolean> {
    const middle = batch.length >>> 1;
    const isFirstTaken = await this.#offer(batch.slice(0, middle));
    return isFirstTaken && (await this.#offer(batch.slice(middle)));
  }

  #payNotices(): void {
    if (this.#waiting.isFull) return;
    for (const notice of this.#dropped.take()) this.#waiting.keep(notice);
  }
}
