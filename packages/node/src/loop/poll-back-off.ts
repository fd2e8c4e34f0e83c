/**
 * Decides which polls for changes of other nodes are made. A node that is alone knows all changes, and an idle node
 * queries its store less than once a second, so most polls are skipped then. Some are made anyway, for a node
 * that was considered dead.
 */
export class PollBackOff {
  readonly #aloneEvery: number;
  #skipped = 0;

  /** `aloneEvery`: one poll in this many is made while polls may be skipped. */
  constructor(aloneEvery: number) {
    this.#aloneEvery = aloneEvery;
  }

  isDue(maySkip: boolean): boolean {
    this.#skipped = maySkip ? (this.#skipped + 1) % this.#aloneEvery : 0;
    return this.#skipped === 0;
  }
}
