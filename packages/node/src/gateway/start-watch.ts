/** What is watched: work that is ready and waits, and how many tasks have ever been handed out. */
export interface Starts {
  waiting(): number;
  started(): number;
  /** Nothing has started for so long although so much waits. */
  alert(silence: { readonly waiting: number; readonly ms: number }): void;
}

const LOOK_MS = 60_000;
const SILENT_MS = 300_000;

/**
 * Says so when nothing starts although work waits (U039): no worker fits it, all are full of what never
 * ends, or something is wrong here. Each of them looks like a quiet day from outside.
 */
export class StartWatch {
  readonly #of: Starts;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | null = null;
  #started = -1;
  #since = 0;

  constructor(of: Starts, now: () => number = () => performance.now()) {
    this.#of = of;
    this.#now = now;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.look(), LOOK_MS);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  look(): void {
    const started = this.#of.started();
    const waiting = this.#of.waiting();
    const now = this.#now();
    if (started !== this.#started || waiting === 0) {
      this.#started = started;
      this.#since = now;
      return;
    }
    const ms = now - this.#since;
    if (ms < SILENT_MS) return;
    this.#of.alert({ waiting, ms });
    // Once for every such span, not with every look.
    this.#since = now;
  }
}
