import type { Class } from '@signalbox/engine';
import type { MetricSet } from './definitions.ts';
import { TenantClassCounts } from './tenant-class-counts.ts';

/** The counts of every tenant that has a label of its own, and of all others together. */
export class TenantCounts {
  readonly #set: MetricSet;
  readonly #tenantLabel: (name: string) => string;
  readonly #zoneLabel: (name: string) => string;
  /** By the label of the tenant, then by class. */
  readonly #byLabel = new Map<string, readonly TenantClassCounts[]>();

  constructor(params: {
    set: MetricSet;
    tenant: (name: string) => string;
    zone: (name: string) => string;
  }) {
    this.#set = params.set;
    this.#tenantLabel = params.tenant;
    this.#zoneLabel = params.zone;
  }

  of(tenant: string, klass: Class): TenantClassCounts {
    const classes = this.#byLabel.get(tenant) ?? this.#ofLabel(this.#tenantLabel(tenant));
    return classes[klass] as TenantClassCounts;
  }

  #ofLabel(tenant: string): readonly TenantClassCounts[] {
    const known = this.#byLabel.get(tenant);
    if (known !== undefined) return known;
    const [set, zone] = [this.#set, this.#zoneLabel];
    const classes = ([0, 1, 2] as const).map(
      (klass) => new TenantClassCounts({ set, class: klass, tenant, zone }),
    );
    this.#byLabel.set(tenant, classes);
    return classes;
  }
}
