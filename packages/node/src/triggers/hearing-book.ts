import { partitionOf } from '@signalbox/engine';
import type { Definition } from '@signalbox/store';

/** Which types of events runs of a job may wait for, by any of its versions; named like the job. */
export const HEARING_KIND = 'hearing';

export interface StoredHearing {
  readonly types: readonly string[];
}

const NOWHERE: ReadonlySet<number> = new Set();
/** The types of events that ends of runs are. */
const END_TYPES = ['run.succeeded', 'run.partial', 'run.failed', 'run.cancelled'] as const;

/**
 * Where runs may be that wait for an event, by its type: the partitions of the jobs that say so. A node
 * knows by it where an event has to go, without asking anybody and without a trace in the store of
 * those that nobody waits for.
 */
export class HearingBook {
  readonly #partitions: () => number;
  /** By tenant and type. */
  readonly #heardIn = new Map<string, Map<string, Set<number>>>();

  constructor(partitions: () => number) {
    this.#partitions = partitions;
  }

  /** Types are only ever added: a run of an old version may live. */
  adopt({ tenant, name: job, body }: Definition): boolean {
    const { types } = JSON.parse(body) as StoredHearing;
    const fresh = types.filter((type) => !this.hears(tenant, job, [type]));
    const heardIn = this.#heardIn.get(tenant) ?? new Map<string, Set<number>>();
    this.#heardIn.set(tenant, heardIn);
    for (const type of fresh) {
      const partitions = heardIn.get(type) ?? new Set();
      heardIn.set(type, partitions.add(this.#partitionOf(tenant, job)));
    }
    return fresh.length > 0;
  }

  /** Whether such events get to the runs of the job already, for its own sake or a neighbour's. */
  hears(tenant: string, job: string, types: readonly string[]): boolean {
    const partition = this.#partitionOf(tenant, job);
    return types.every((type) => this.partitionsOf(tenant, type).has(partition));
  }

  partitionsOf(tenant: string, type: string): ReadonlySet<number> {
    return this.#heardIn.get(tenant)?.get(type) ?? NOWHERE;
  }

  /** Tenants of whom a run may wait for the end of another. */
  followers(): string[] {
    const tenants = [...this.#heardIn].filter(([, heardIn]) =>
      END_TYPES.some((t) => heardIn.has(t)),
    );
    return tenants.map(([tenant]) => tenant);
  }

  #partitionOf(tenant: string, job: string): number {
    return partitionOf(tenant, job, this.#partitions());
  }
}
