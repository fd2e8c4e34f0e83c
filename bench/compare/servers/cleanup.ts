type Step = () => Promise<unknown> | unknown;

/** What must be ended, whatever happens: in the order opposite to its making. */
export class Cleanup {
  #steps: Step[] = [];

  /** Returns a way to do the step now; it is then not done again. */
  add(step: Step): () => Promise<void> {
    this.#steps.push(step);
    return async () => {
      const index = this.#steps.indexOf(step);
      if (index < 0) return;
      this.#steps.splice(index, 1);
      await step();
    };
  }

  async run(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) await step();
  }
}
