import type { Api } from './api.ts';

/** Wakes whoever watches a run when something happens to it. */
export class RunChanges {
  readonly #stop = new AbortController();
  #hasChanged = false;
  #wake: () => void = () => {};

  constructor(api: Api, id: string) {
    void this.#listen(api, id);
  }

  /** Resolves when something has happened since the last call, or after so long. */
  async next(timeoutMs: number): Promise<void> {
    if (!this.#hasChanged) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#hasChanged = false;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Where the stream breaks off, whoever waits goes on by the clock. */
  async #listen(api: Api, id: string): Promise<void> {
    try {
      for await (const chunk of api.stream(`/runs/${id}/events`, this.#stop.signal)) {
        // A line without `data` is a heartbeat.
        if (!chunk.includes('data:')) continue;
        this.#hasChanged = true;
        this.#wake();
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  }
}
