import type { Attempts } from '../attempt/attempts.ts';
import type { HeldAttempt } from '../attempt/held-attempt.ts';

const CHECK_MS = 5_000;
const UNCONFIRMED_MS = 15_000;

/**
 * Resends results that are not confirmed in time: the node that received them may have lost the partition to
 * another one while the connection stayed open.
 */
export class Resend {
  readonly #attempts: Attempts;
  readonly #resend: (held: HeldAttempt) => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(attempts: Attempts, resend: (held: HeldAttempt) => void) {
    this.#attempts = attempts;
    this.#resend = resend;
  }

  arm(): void {
    this.#timer ??= setTimeout(() => this.#check(), CHECK_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #check(): void {
    this.#timer = null;
    const old = performance.now() - UNCONFIRMED_MS;
    let waiting = false;
    for (const held of this.#attempts.all()) {
      if (held.finish === null) continue;
      waiting = true;
      if (held.finishSentAt < old) this.#resend(held);
    }
    if (waiting) this.arm();
  }
}
