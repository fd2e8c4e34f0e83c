import type { AttemptContext } from '../../executor.ts';
import { savedBriefly } from './saved-briefly.ts';

const EVERY_MS = 30_000;

/** Saves the state that a handler offers: periodically, and when the attempt is stopped (WRK-05). */
export class OfferedState {
  readonly #attempt: AttemptContext;
  #state: (() => Uint8Array) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #saving: Promise<void> = Promise.resolve();
  readonly #onAbort = (): void => this.#save();

  constructor(attempt: AttemptContext) {
    this.#attempt = attempt;
  }

  offer(state: () => Uint8Array): void {
    if (this.#state === null) {
      this.#timer = setInterval(() => this.#save(), EVERY_MS);
      this.#attempt.signal.addEventListener('abort', this.#onAbort);
    }
    this.#state = state;
  }

  async stop(): Promise<void> {
    if (this.#state === null) return;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#attempt.signal.removeEventListener('abort', this.#onAbort);
    await savedBriefly(this.#saving);
  }

  #save(): void {
    try {
      const state = (this.#state as () => Uint8Array)();
      this.#saving = this.#attempt.saveCheckpoint(state).catch((error) => this.#complain(error));
    } catch (error) {
      this.#complain(error);
    }
  }

  /** A state that cannot be saved costs the next attempt time; it is no reason to fail this one. */
  #complain(error: unknown): void {
    const message = `checkpoint not saved: ${String(error)}`;
    this.#attempt.log('log', JSON.stringify({ level: 'warn', message }));
  }
}
