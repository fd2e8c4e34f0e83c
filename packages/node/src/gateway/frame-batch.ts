import type { FromNode, Ref } from '@signalbox/protocol';

/** What goes to one worker in one message; all its confirmations are one frame. */
export class FrameBatch {
  readonly frames: FromNode[] = [];
  #confirmed: Ref[] | null = null;

  push(frame: FromNode): void {
    this.frames.push(frame);
  }

  confirm(ref: Ref): void {
    if (this.#confirmed === null) {
      this.#confirmed = [];
      this.frames.push({ kind: 'confirm', refs: this.#confirmed });
    }
    if (this.#confirmed.push(ref) === REFS_MAX) this.#confirmed = null;
  }
}

/** Well below what a list on the link may hold. */
const REFS_MAX = 5_000;
