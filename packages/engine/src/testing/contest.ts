import type { Attempt } from '../model/run.ts';
import type { JobSpec } from '../model/spec.ts';
import { AutoRun } from './auto-run.ts';
import { buildSpec } from './builders.ts';
import { Harness } from './harness.ts';

/** A tenant that always has more to do, in tasks of one size that take about `ms`. */
export interface Contender {
  readonly tenant: string;
  readonly weight: number;
  readonly slots: number;
  readonly ms: number;
}

/** Tenants with endless backlogs on one fleet. */
export class Contest {
  readonly harness: Harness;
  readonly fleet: AutoRun;
  readonly #specs = new Map<JobSpec, number>();
  readonly #backlog: JobSpec[] = [];

  constructor(params: {
    contenders: readonly Contender[];
    workers: number;
    slots: number;
    seed?: number;
  }) {
    const harness = new Harness({ seed: params.seed ?? 1 });
    this.harness = harness;
    for (let i = 0; i < params.workers; i++) {
      harness.addWorker({ name: `w${i}`, total: { slots: params.slots } });
    }
    this.fleet = new AutoRun(harness, (attempt) => this.#durationMs(attempt));
    this.fleet.beforeStep = () => this.#refill();
    for (const contender of params.contenders) this.join(contender);
  }

  join({ tenant, weight, slots, ms }: Contender): void {
    const spec = buildSpec({ tenant, request: { slots } });
    this.#specs.set(spec, ms);
    this.#backlog.push(spec);
    this.setTenant(tenant, { weight });
  }

  /** One task besides the endless ones. */
  submit(spec: JobSpec, ms: number): void {
    this.#specs.set(spec, ms);
    this.harness.submit({ spec });
  }

  setTenant(tenant: string, params: { weight?: number; runningMax?: number }): void {
    const { weight = 1, runningMax = 1_000_000 } = params;
    this.harness.apply({ kind: 'setTenant', tenant, weight, runningMax });
  }

  run(ms: number): void {
    this.fleet.run(ms);
  }

  /** What part of all slot-time since `countAfresh` the tenant got. */
  partOf(tenant: string): number {
    const tenants = new Set([...this.#specs.keys()].map((spec) => spec.tenant));
    const all = [...tenants].reduce((sum, each) => sum + this.fleet.slotMs(each), 0);
    return this.fleet.slotMs(tenant) / all;
  }

  #durationMs({ task }: Attempt): number {
    const ms = this.#specs.get(task.run.spec) ?? 0;
    return Math.round(ms * (0.5 + this.harness.random.next()));
  }

  #refill(): void {
    for (const spec of this.#backlog) {
      const owner = this.harness.engine.core.ofTenant(spec.tenant, spec.class);
      while (owner.queued < 20) this.harness.submit({ spec });
    }
  }
}
