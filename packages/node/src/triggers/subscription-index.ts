import { partitionOf } from '@signalbox/engine';
import type { Definition } from '@signalbox/store';

/** The event types that runs of a job wait for, in any version of the job; named like the job. */
export const SUBSCRIPTION_KIND = 'hearing';

export interface StoredSubscription {
  readonly types: readonly string[];
}

const NONE: ReadonlySet<number> = new Set();
/** The event types of run ends. */
const END_TYPES = ['run.succeeded', 'run.partial', 'run.failed', 'run.cancelled'] as const;

/**
 * The partitions whose runs may wait for an event, by its type: those of the subscribed jobs. A node routes events
 * with it without reading the store, and an event without subscribers leaves no trace in the store.
 */
export class SubscriptionIndex {
  readonly #partitions: () => number;
  /** By tenant and event type. */
  readonly #byTenant = new Map<string, Map<string, Set<number>>>();

  constructor(partitions: () => number) {
    this.#partitions = partitions;
  }

  /** Types are only added, because runs of an old version may still wait. Returns whether any type was new. */
  adopt({ tenant, name: job, body }: Definition): boolean {
    const { types } = JSON.parse(body) as StoredSubscription;
    const partition = partitionOf(tenant, job, this.#partitions());
    const added = types.filter((type) => !this.partitionsOf(tenant, type).has(partition));
    const byType = this.#byTenant.get(tenant) ?? new Map<string, Set<number>>();
    this.#byTenant.set(tenant, byType);
    for (const type of added) byType.set(type, (byType.get(type) ?? new Set()).add(partition));
    return added.length > 0;
  }

  partitionsOf(tenant: string, type: string): ReadonlySet<number> {
    return this.#byTenant.get(tenant)?.get(type) ?? NONE;
  }

  /** Tenants with runs that may wait for the end of another run. */
  completionTenants(): string[] {
    const tenants = [...this.#byTenant].filter(([, byType]) =>
      END_TYPES.some((t) => byType.has(t)),
    );
    return tenants.map(([tenant]) => tenant);
  }
}
