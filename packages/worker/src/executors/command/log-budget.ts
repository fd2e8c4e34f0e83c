/**
 * Limits the logged output of a command, because a process can print faster than any store can write. Omitted
 * output is noted in the log.
 */
export class LogBudget {
  #left: number;
  #tokens: number;
  #filledAt: number;
  #leftOut = 0;
  readonly #rate: number;
  readonly #total: number;
  readonly #now: () => number;
  readonly #note: (text: string) => void;

  constructor(params: {
    bytesMax: number;
    bytesPerSecond: number;
    now: () => number;
    note: (text: string) => void;
  }) {
    this.#total = params.bytesMax;
    this.#left = params.bytesMax;
    this.#rate = params.bytesPerSecond;
    this.#tokens = this.#burst;
    this.#now = params.now;
    this.#filledAt = params.now();
    this.#note = params.note;
  }

  get #burst(): number {
    return this.#rate * 4;
  }

  take(bytes: number): boolean {
    if (this.#left === 0) {
      this.#leftOut += bytes;
      return false;
    }
    if (bytes > this.#left) {
      this.#left = 0;
      this.#leftOut += bytes;
      this.#note(`the log is truncated here: an attempt can log at most ${this.#total} bytes`);
      return false;
    }
    const now = this.#now();
    const grown = ((now - this.#filledAt) * this.#rate) / 1_000;
    this.#tokens = Math.min(this.#burst, this.#tokens + grown);
    this.#filledAt = now;
    if (bytes > this.#tokens) {
      this.#leftOut += bytes;
      return false;
    }
    this.#tell(`more than ${this.#rate} bytes per second`);
    this.#tokens -= bytes;
    this.#left -= bytes;
    return true;
  }

  end(): void {
    this.#tell(this.#left === 0 ? 'the log is full' : `more than ${this.#rate} bytes per second`);
  }

  #tell(why: string): void {
    if (this.#leftOut === 0) return;
    this.#note(`${this.#leftOut} bytes of output were not logged: ${why}`);
    this.#leftOut = 0;
  }
}
