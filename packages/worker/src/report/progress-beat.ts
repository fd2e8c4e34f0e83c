import type { Resources } from '@signalbox/protocol/link';
import type { HeldAttempt } from '../attempt/held-attempt.ts';
import type { Link } from '../link/link.ts';

/** A handler may tell its progress in every turn of a loop; a node hears of it this often. */
const TELL_MS = 250;
const PROGRESS_MAX = 2_000;

/** Gathers progress, and changes of what other nodes use, into few beats. */
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

  /** What this attempt has reported goes out now; also what an earlier connection may have lost. */
  tellNow(held: HeldAttempt): void {
    this.#moved.delete(held);
    const { link, ref, progressValue: value } = held;
    if (value === null) return;
    link.say({ kind: 'beat', foreignUse: this.#foreignUse(link), progress: [{ ref, value }] });
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
    this.#timer ??= setTimeout(() => this.#tell(), TELL_MS);
  }

  #tell(): void {
    this.#timer = null;
    const byLink = Map.groupBy(this.#moved, (held) => held.link);
    this.#moved.clear();
    for (const [link, all] of byLink) {
      // A node that is away hears of it later: the value is kept and told with the next move.
      for (let at = 0; at < all.length; at += PROGRESS_MAX) {
        const progress = all
          .slice(at, at + PROGRESS_MAX)
          .map((held) => ({ ref: held.ref, value: held.progressValue ?? 0 }));
        link.say({ kind: 'beat', foreignUse: this.#foreignUse(link), progress });
      }
    }
    for (const link of this.#changedUse) link.tellForeignUse();
    this.#changedUse.clear();
  }
}
