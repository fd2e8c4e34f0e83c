import type { Group } from './group.ts';
import type { LoopPorts } from './ports.ts';

/** As long as a timer can be short; a commit takes about as long. */
const WAIT_MS = 1;
/** So many together are worth a commit of their own. */
const FACTS_MAX = 256;
/** Fewer than this at once is one caller at a time, who may well be waiting for just this end. */
const SUBMISSIONS_MIN = 4;

/**
 * Ends that nobody waits for may wait a moment for company. What one commit releases comes back in
 * two parts about as late as each other: results from workers, and the next submissions of the
 * clients that were answered. Whichever is first would leave alone, and the other wait for a whole
 * commit and then need one for itself.
 */
export class Company {
  readonly #ports: LoopPorts;
  readonly #leave: () => void;
  #cancel: (() => void) | null = null;
  #hasWaited = false;
  /** Submissions that the last group with any answered. */
  #submissions = 0;

  constructor(ports: LoopPorts, leave: () => void) {
    this.#ports = ports;
    this.#leave = leave;
  }

  /** Whether the group stays for now; if so, `leave` is called when it has waited long enough. */
  isWorthWaiting(group: Group): boolean {
    if (this.#hasWaited || group.isAwaited || group.factCount > FACTS_MAX) return false;
    if (this.#submissions < SUBMISSIONS_MIN) return false;
    this.#cancel ??= this.#ports.after(WAIT_MS, () => {
      this.#cancel = null;
      this.#hasWaited = true;
      this.#leave();
    });
    return true;
  }

  /** A group leaves: the next one has not waited yet. */
  left(group: Group): void {
    this.stop();
    this.#hasWaited = false;
    if (group.replies.length === 0) return;
    this.#submissions = 0;
    for (const { answers } of group.replies) this.#submissions += answers.length;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
