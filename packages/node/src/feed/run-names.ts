import { type Fact, notifiedRun, parseDetail, type RunFact, type RunId } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import type { CommitLoop } from '../loop/index.ts';
import type { NamedRun } from './event-of.ts';

const KEPT = 20_000;

/**
 * Whose run a fact is about. Most facts name a run by its number only, and a short run has often
 * left memory by the time its facts are durable, so runs that were seen are kept for a while.
 */
export class RunNames {
  readonly #loop: () => CommitLoop;
  readonly #store: () => Store;
  /** By partition and number. */
  readonly #seen = new Map<number, Map<number, NamedRun>>();
  #size = 0;

  constructor(loop: () => CommitLoop, store: () => Store) {
    this.#loop = loop;
    this.#store = store;
  }

  /** Null where only the store knows it. */
  nameOf(partition: number, fact: Exclude<RunFact, { kind: 'runsPagedIn' }>): NamedRun | null {
    if (fact.kind === 'runSubmitted') {
      const { ms, seq, spec } = fact.run;
      return this.#keep({ id: { ms, partition, seq }, spec, growth: [] });
    }
    const seen = this.#seen.get(partition)?.get(fact.seq);
    if (seen !== undefined) return seen;
    const live = this.#loop().engine.core.books.get(partition)?.runs.get(fact.seq);
    if (live === undefined) return null;
    const id = { ms: live.ms, partition, seq: live.seq };
    return this.#keep({ id, spec: live.spec, growth: [...(live.graph?.growth ?? [])] });
  }

  /** Reads the names of runs that ended unseen, where a fact says where the row of the run is. */
  async readEnded(facts: readonly Fact[]): Promise<void> {
    for (const fact of facts) {
      const place = placeOf(fact);
      if (place === null) continue;
      const { tenant, id, fact: about } = place;
      if (this.nameOf(id.partition, about) !== null) continue;
      const [row] = await this.#store().readRuns({ ids: [{ tenant, id }], withInput: false });
      if (row === undefined) continue;
      const version = { tenant, job: row.job, version: row.jobVersion };
      // A notification names no task, so that how its run grew does not matter.
      const growth = about.kind === 'runEnded' ? parseDetail(about.detail, id.ms).growth : [];
      this.#keep({ id, spec: await this.#loop().specs.load(version), growth: [...growth] });
    }
  }

  /** Forgets a run without further facts, or whose further facts name its row. */
  forget(run: NamedRun): void {
    if (this.#seen.get(run.id.partition)?.delete(run.id.seq)) this.#size--;
  }

  clear(): void {
    if (this.#size === 0) return;
    this.#seen.clear();
    this.#size = 0;
  }

  #keep(run: NamedRun): NamedRun {
    const { partition, seq } = run.id;
    const runs = this.#seen.get(partition) ?? new Map<number, NamedRun>();
    this.#seen.set(partition, runs);
    if (!runs.has(seq)) this.#size++;
    runs.set(seq, run);
    if (this.#size > KEPT) {
      // The oldest of the same partition: what is forgotten is read from the store if it is needed.
      runs.delete(runs.keys().next().value as number);
      this.#size--;
    }
    return run;
  }
}

/** The last facts of a run are its end, and then only its notifications. */
function placeOf(fact: Fact): Place | null {
  if (fact.kind === 'runEnded') {
    const { tenant, partition, seq, ms } = fact;
    return { tenant, id: { ms, partition, seq }, fact };
  }
  if (fact.kind !== 'notificationDone' || fact.tenant === undefined) return null;
  const id = notifiedRun(fact.id);
  return id === null ? null : { tenant: fact.tenant, id, fact };
}

interface Place {
  readonly tenant: string;
  readonly id: RunId;
  readonly fact: Extract<RunFact, { kind: 'runEnded' | 'notificationDone' }>;
}
