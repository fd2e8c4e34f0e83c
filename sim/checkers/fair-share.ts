import type { Evidence, JournalGroup } from '../evidence.ts';
import { runKey } from '../names.ts';
import type { Checker } from './checker.ts';

/** So many places are given away before anybody is judged. */
const PLACES_MIN = 40;
/** What a tenant may lack of half of its share: tasks are not all of one length. */
const SLACK = 8;

/**
 * C17: of tenants that wait at the same time for places of the same kind, each gets its share,
 * whatever else the others have queued. Judged where all work is of one kind and one node gives
 * the places away, because fair share is a promise of a node about use, not about counts.
 */
export const fairShare: Checker = {
  name: 'C17',
  promise: 'a tenant that waits for a place gets its share of them',
  check: (evidence) => {
    if (!evidence.options.wild.contest) return [];
    const contest = new Contest(evidence);
    const journal = [...evidence.journal].sort((a, b) => a.t - b.t);
    for (const groups of Map.groupBy(journal, ({ t }) => t).values()) contest.commit(groups);
    return contest.problems;
  },
};

/** What a tenant has waiting in one partition, and the commit since which that was never nothing. */
interface Queue {
  readonly runs: Set<string>;
  since: number;
}

/**
 * The journal keeps the order of decisions within a partition and between commits, but not between
 * the partitions of one commit: all places may be gone there before a tenant begins to wait. What a
 * commit gives away counts therefore for those who wait through all of it: who had something waiting
 * in a partition before it, and was never without there until its end.
 */
class Contest {
  readonly problems: string[] = [];
  readonly #weights: ReadonlyMap<string, number>;
  readonly #tenantOf: ReadonlyMap<string, string>;
  #commit = 0;
  /** By tenant and partition. */
  readonly #queues = new Map<string, Map<number, Queue>>();
  /** By tenant that waits without a break, the places that each tenant got in that time. */
  readonly #got = new Map<string, Map<string, number>>();

  constructor({ runs, misfits, weights }: Evidence) {
    this.#weights = weights;
    // One that is due later does not wait for a place.
    const fitting = runs.filter(({ run }) => {
      return !misfits.has(run.job) && !run.head.includes('"dueAt"');
    });
    this.#tenantOf = new Map(fitting.map(({ run }) => [runKey(run.id), run.tenant]));
  }

  commit(groups: readonly JournalGroup[]): void {
    this.#commit++;
    const places = new Map<string, number>();
    for (const { partition, facts } of groups) {
      for (const packed of facts) {
        if (packed.kind === 'submittedAt' && packed.lane === null) {
          this.#begin(partition, packed.run.seq);
        } else if (packed.kind === 'pagedInAt') {
          for (const { seq } of packed.runs) this.#begin(partition, seq);
        } else if (packed.kind === 'endedAt') {
          this.#end(partition, packed.seq);
        } else if (packed.kind === 'fact' && packed.fact.kind === 'taskAssigned') {
          const tenant = this.#end(partition, packed.fact.seq);
          if (tenant !== undefined) places.set(tenant, (places.get(tenant) ?? 0) + 1);
        }
      }
    }
    for (const waiter of this.#queues.keys()) this.#count(waiter, places);
  }

  #begin(partition: number, seq: number): void {
    const run = runKey({ partition, seq });
    const tenant = this.#tenantOf.get(run);
    if (tenant === undefined) return;
    const queues = this.#queues.get(tenant) ?? new Map<number, Queue>();
    this.#queues.set(tenant, queues);
    const queue = queues.get(partition) ?? { runs: new Set(), since: 0 };
    queues.set(partition, queue);
    if (queue.runs.size === 0) queue.since = this.#commit;
    queue.runs.add(run);
  }

  /** The run waits no more; answers whose it is. */
  #end(partition: number, seq: number): string | undefined {
    const run = runKey({ partition, seq });
    const tenant = this.#tenantOf.get(run);
    if (tenant !== undefined) this.#queues.get(tenant)?.get(partition)?.runs.delete(run);
    return tenant;
  }

  #waitsThrough(tenant: string): boolean {
    const queues = [...(this.#queues.get(tenant)?.values() ?? [])];
    return queues.some(({ runs, since }) => runs.size > 0 && since < this.#commit);
  }

  #count(waiter: string, places: ReadonlyMap<string, number>): void {
    if (!this.#waitsThrough(waiter)) {
      this.#got.delete(waiter);
      return;
    }
    const got = this.#got.get(waiter) ?? new Map<string, number>();
    this.#got.set(waiter, got);
    for (const [tenant, count] of places) got.set(tenant, (got.get(tenant) ?? 0) + count);
    for (const other of places.keys()) if (other !== waiter) this.#judge(waiter, other);
  }

  /** What one has got, beside what another has got in the same time. */
  #judge(waiter: string, other: string): void {
    const got = this.#got.get(waiter);
    const own = got?.get(waiter) ?? 0;
    const total = own + (got?.get(other) ?? 0);
    const [weight, beside] = [this.#weights.get(waiter) ?? 1, this.#weights.get(other) ?? 1];
    const share = (total * weight) / (weight + beside);
    if (total < PLACES_MIN || own >= share / 2 - SLACK) return;
    this.problems.push(
      `${waiter} got ${own} of ${total} places beside ${other}, its share is ${share.toFixed(0)}`,
    );
    this.#got.delete(waiter);
  }
}
