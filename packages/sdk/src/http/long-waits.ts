import type { RunView } from '@signalbox/protocol';

/** Questions that the node may keep open at once; each holds a connection. */
const OPEN_MAX = 32;
/** Those beyond look now and then, all of them together about this often. */
const LOOKS_PER_SECOND = 200;
const LOOK_MS_MIN = 100;

/**
 * Waiting for a run to end is a question that stays open. A program that waits for thousands must
 * not use up its connections with that, or its next cancel would queue behind them.
 */
export class LongWaits {
  readonly #pauses = new Set<() => void>();
  #open = 0;
  #looking = 0;

  async wait(params: {
    waitMs: number;
    signal: AbortSignal | undefined;
    read: (waitMs: number | undefined) => Promise<RunView>;
  }): Promise<RunView> {
    const { waitMs, signal, read } = params;
    if (this.#open < OPEN_MAX) {
      this.#open++;
      return read(waitMs).finally(() => this.#open--);
    }
    this.#looking++;
    try {
      const everyMs = Math.max(LOOK_MS_MIN, (this.#looking * 1_000) / LOOKS_PER_SECOND);
      await this.#pause(Math.min(waitMs, everyMs), signal);
      return await read(undefined);
    } finally {
      this.#looking--;
    }
  }

  /** Ends every pause: with thousands of them the last would keep the process alive for long. */
  close(): void {
    for (const end of [...this.#pauses]) end();
  }

  #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#pauses.delete(end);
        signal?.removeEventListener('abort', end);
        if (signal?.aborted) reject(signal.reason);
        else resolve();
      };
      const timer = setTimeout(end, ms);
      this.#pauses.add(end);
      signal?.addEventListener('abort', end);
      if (signal?.aborted) end();
    });
  }
}
