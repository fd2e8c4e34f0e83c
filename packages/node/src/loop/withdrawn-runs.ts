import type { Fact, SubmittedRun } from '@signalbox/engine';
import type { Reply } from './reply.ts';

/** A submission that never happened: its mail asked for a key that another run or entry has. */
export interface WithdrawnRun {
  readonly submitted: SubmittedRun;
  /** Where it waits in the store, if it was parked. */
  readonly lane: string | null;
}

/** Found by partition and seq, so that dropping many costs one pass over what waits. */
export class WithdrawnRuns {
  readonly #byPartition = new Map<number, Map<number, WithdrawnRun>>();

  /** The runs that the replies were answered as new, among the facts of their group. */
  static of(replies: readonly Reply[], facts: ReadonlyMap<number, readonly Fact[]>): WithdrawnRuns {
    const accepted = new Map<number, Set<number>>();
    for (const { answers } of replies) {
      for (const answer of answers) {
        if (answer.kind !== 'accepted') continue;
        const seqs = accepted.get(answer.partition);
        if (seqs === undefined) accepted.set(answer.partition, new Set([answer.seq]));
        else seqs.add(answer.seq);
      }
    }
    const withdrawn = new WithdrawnRuns();
    for (const [partition, seqs] of accepted) {
      const bySeq = new Map<number, WithdrawnRun>();
      for (const fact of facts.get(partition) ?? []) {
        if (fact.kind !== 'runSubmitted' || !seqs.has(fact.run.seq)) continue;
        bySeq.set(fact.run.seq, { submitted: fact.run, lane: fact.parked?.lane ?? null });
      }
      withdrawn.#byPartition.set(partition, bySeq);
    }
    return withdrawn;
  }

  of(partition: number): ReadonlyMap<number, WithdrawnRun> | undefined {
    return this.#byPartition.get(partition);
  }

  has(partition: number, seq: number): boolean {
    return this.#byPartition.get(partition)?.has(seq) ?? false;
  }

  *entries(): Iterable<readonly [number, WithdrawnRun]> {
    for (const [partition, bySeq] of this.#byPartition) {
      for (const run of bySeq.values()) yield [partition, run];
    }
  }
}
