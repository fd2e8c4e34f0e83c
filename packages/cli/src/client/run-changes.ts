import type { Api } from './api.ts';

/** Resolves waits when a watched run changes. */
export class RunChanges {
  readonly #stop = new AbortController();
  #hasChanged = false;
  #wake: () => void = () => {};

  constructor(api: Api, id: string) {
    void this.#listen(api, id);
  }

  /** Resolves when the run has changed since the last call, or after the timeout. */
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

  /** If the stream breaks, waits continue by polling. */
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
