import type { Attempts } from '../attempt/attempts.ts';
import type { HeldAttempt } from '../attempt/held-attempt.ts';

const LOOK_MS = 5_000;
const UNCONFIRMED_MS = 15_000;

/**
 * Says a result again that nobody has confirmed for long: the node that it was said to may have
 * lost the partition to another one without the connection ever closing.
 */
export class Resend {
  readonly #attempts: Attempts;
  readonly #again: (held: HeldAttempt) => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(attempts: Attempts, again: (held: HeldAttempt) => void) {
    this.#attempts = attempts;
    this.#again = again;
  }

  arm(): void {
    this.#timer ??= setTimeout(() => this.#look(), LOOK_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    this.#timer = null;
    const old = performance.now() - UNCONFIRMED_MS;
    let waiting = false;
    for (const held of this.#attempts.all()) {
      if (held.finish === null) continue;
      waiting = true;
      if (held.finishSaidAt < old) this.#again(held);
    }
    if (waiting) this.arm();
  }
}
