import type { Evidence } from '../evidence.ts';
import { runKey } from '../names.ts';
import type { Checker } from './checker.ts';

/** So many places are given away before anybody is judged. */
const PLACES_MIN = 40;
/** What a tenant may lack of half of its share: tasks are not all of one length. */
const SLACK = 8;

/** Places that tenants got since one of them began to wait without a break. */
interface Wait {
  readonly got: Map<string, number>;
}

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
    for (const group of [...evidence.journal].sort((a, b) => a.t - b.t)) {
      for (const packed of group.facts) {
        const { partition } = group;
        if (packed.kind === 'submittedAt' && packed.lane === null) {
          contest.waits(runKey({ partition, seq: packed.run.seq }));
        } else if (packed.kind === 'pagedInAt') {
          for (const { seq } of packed.runs) contest.waits(runKey({ partition, seq }));
        } else if (packed.kind === 'endedAt') {
          contest.leaves(runKey({ partition, seq: packed.seq }));
        } else if (packed.kind === 'fact' && packed.fact.kind === 'taskAssigned') {
          contest.served(runKey({ partition, seq: packed.fact.seq }));
        }
      }
    }
    return contest.problems;
  },
};

class Contest {
  readonly problems: string[] = [];
  readonly #weights: ReadonlyMap<string, number>;
  readonly #tenantOf: ReadonlyMap<string, string>;
  readonly #waiting = new Map<string, Set<string>>();
  readonly #waits = new Map<string, Wait>();

  constructor({ runs, misfits, weights }: Evidence) {
    this.#weights = weights;
    // One that is due later does not wait for a place.
    const fitting = runs.filter(({ run }) => {
      return !misfits.has(run.job) && !run.head.includes('"dueAt"');
    });
    this.#tenantOf = new Map(fitting.map(({ run }) => [runKey(run.id), run.tenant]));
  }

  waits(run: string): void {
    const tenant = this.#tenantOf.get(run);
    if (tenant === undefined) return;
    const waiting = this.#waiting.get(tenant) ?? new Set();
    this.#waiting.set(tenant, waiting.add(run));
    if (!this.#waits.has(tenant)) this.#waits.set(tenant, { got: new Map() });
  }

  leaves(run: string): void {
    const tenant = this.#tenantOf.get(run);
    if (tenant === undefined) return;
    const waiting = this.#waiting.get(tenant);
    waiting?.delete(run);
    if ((waiting?.size ?? 0) === 0) this.#waits.delete(tenant);
  }

  served(run: string): void {
    const tenant = this.#tenantOf.get(run);
    if (tenant === undefined) return;
    for (const [waiter, { got }] of this.#waits) {
      got.set(tenant, (got.get(tenant) ?? 0) + 1);
      this.#judge(waiter, tenant);
    }
    this.leaves(run);
  }

  /** What one has got, beside what another has got in the same time. */
  #judge(waiter: string, other: string): void {
    const wait = this.#waits.get(waiter);
    if (wait === undefined || waiter === other) return;
    const own = wait.got.get(waiter) ?? 0;
    const total = own + (wait.got.get(other) ?? 0);
    const [weight, beside] = [this.#weights.get(waiter) ?? 1, this.#weights.get(other) ?? 1];
    const share = (total * weight) / (weight + beside);
    if (total < PLACES_MIN || own >= share / 2 - SLACK) return;
    this.problems.push(
      `${waiter} got ${own} of ${total} places beside ${other}, its share is ${share.toFixed(0)}`,
    );
    this.#waits.set(waiter, { got: new Map() });
  }
}
