import type { Fact, RunId } from '@signalbox/engine';

/** Those who wait for one run to end: found by its number, without a look at anybody else. */
export class EndWaiters {
  readonly #partitions = new Map<number, Map<number, Set<() => void>>>();

  add(run: RunId, timeoutMs: number): Promise<void> {
    const { partition, seq } = run;
    return new Promise((resolve) => {
      const runs = this.#partitions.get(partition) ?? new Map<number, Set<() => void>>();
      const waiting = runs.get(seq) ?? new Set<() => void>();
      this.#partitions.set(partition, runs);
      runs.set(seq, waiting);
      const done = (): void => {
        clearTimeout(timer);
        waiting.delete(done);
        if (waiting.size === 0 && runs.get(seq) === waiting) runs.delete(seq);
        if (runs.size === 0 && this.#partitions.get(partition) === runs) {
          this.#partitions.delete(partition);
        }
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      waiting.add(done);
    });
  }

  /** The partition is another node's: nothing is published of it here, so all who wait look again. */
  wake(partition: number): void {
    for (const waiting of [...(this.#partitions.get(partition)?.values() ?? [])]) {
      for (const done of [...waiting]) done();
    }
  }

  published(partition: number, facts: readonly Fact[]): void {
    const runs = this.#partitions.get(partition);
    if (runs === undefined) return;
    for (const fact of facts) {
      if (fact.kind !== 'runEnded') continue;
      const waiting = runs.get(fact.seq);
      if (waiting === undefined) continue;
      for (const done of waiting) done();
    }
  }
}
