import type { LoopPorts } from './ports.ts';

/** Timers are re-armed in bounded steps: past 2^31 ms they would fire at once. */
const STEP_MS_MAX = 3_600_000;

/** The one timer of a loop: the next instant at which something is due though nobody says anything. */
export class WakeTimer {
  readonly #ports: LoopPorts;
  readonly #fire: () => void;
  #at = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};

  constructor(ports: LoopPorts, fire: () => void) {
    this.#ports = ports;
    this.#fire = fire;
  }

  /** Whether what it was armed for has come. */
  isDue(now: number): boolean {
    return now >= this.#at;
  }

  arm(at: number | null, now: number): void {
    const wanted = at ?? Number.POSITIVE_INFINITY;
    if (wanted === this.#at) return;
    this.#cancel();
    this.#at = wanted;
    if (wanted === Number.POSITIVE_INFINITY) return;
    const wait = Math.min(Math.max(wanted - now, 1), STEP_MS_MAX);
    this.#cancel = this.#ports.after(wait, () => {
      this.#at = Number.NEGATIVE_INFINITY;
      this.#fire();
    });
  }

  stop(): void {
    this.#cancel();
  }
}
