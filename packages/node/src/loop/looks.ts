/**
 * Which of the looks for what other nodes have written are taken. Where there is no other node nothing is
 * written that is not known, and a node at rest is to ask its store less than once a second: then most
 * looks are passed over. One is taken now and then all the same, for a node that was thought gone.
 */
export class Looks {
  readonly #aloneEvery: number;
  #passedOver = 0;

  /** Of so many in a row that may be passed over one is taken. */
  constructor(aloneEvery: number) {
    this.#aloneEvery = aloneEvery;
  }

  isDue(mayPassOver: boolean): boolean {
    this.#passedOver = mayPassOver ? (this.#passedOver + 1) % this.#aloneEvery : 0;
    return this.#passedOver === 0;
  }
}
