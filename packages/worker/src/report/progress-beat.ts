import type { Resources } from '@signalbox/protocol/link';
import type { HeldAttempt } from '../attempt/held-attempt.ts';
import type { Link } from '../link/link.ts';

/** A handler may report progress in every iteration of a loop; it is sent this often. */
const SEND_MS = 250;
const PROGRESS_MAX = 2_000;

/** Combines progress, and changes of the use by other nodes, into few beats. */
export class ProgressBeat {
  readonly #moved = new Set<HeldAttempt>();
  readonly #changedUse = new Set<Link>();
  readonly #foreignUse: (link: Link) => Resources;
  #timer: NodeJS.Timeout | null = null;

  constructor(foreignUse: (link: Link) => Resources) {
    this.#foreignUse = foreignUse;
  }

  get size(): number {
    return this.#moved.size;
  }

  add(held: HeldAttempt): void {
    this.#moved.add(held);
    this.#arm();
  }

  /** Sends the progress of this attempt now, also if it has not changed since an earlier connection. */
  sendNow(held: HeldAttempt): void {
    this.#moved.delete(held);
    const { link, ref, progressValue: value } = held;
    if (value === null) return;
    link.send({ kind: 'beat', foreignUse: this.#foreignUse(link), progress: [{ ref, value }] });
  }

  remove(held: HeldAttempt): void {
    this.#moved.delete(held);
  }

  foreignUseChanged(link: Link): void {
    this.#changedUse.add(link);
    this.#arm();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#moved.clear();
    this.#changedUse.clear();
  }

  #arm(): void {
    this.#timer ??= setTimeout(() => this.#send(), SEND_MS);
  }

  #send(): void {
    this.#timer = null;
    const byLink = Map.groupBy(this.#moved, (held) => held.link);
    this.#moved.clear();
    for (const [link, all] of byLink) {
      // Without a connection the frame is dropped; the value is kept and sent with the next change.
      for (let at = 0; at < all.length; at += PROGRESS_MAX) {
        const progress = all
          .slice(at, at + PROGRESS_MAX)
          .map((held) => ({ ref: held.ref, value: held.progressValue ?? 0 }));
        link.send({ kind: 'beat', foreignUse: this.#foreignUse(link), progress });
      }
    }
    for (const link of this.#changedUse) link.sendForeignUse();
    this.#changedUse.clear();
  }
}
