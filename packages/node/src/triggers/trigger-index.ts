import type { Definition } from '@signalbox/store';
import { type CompiledTrigger, compileTrigger, eventPrograms } from './compile-trigger.ts';
import type { StoredTrigger } from './stored-trigger.ts';

const REFUSALS_KEPT = 20;

/** An event that matched a trigger but could not start a run. */
export interface Refusal {
  readonly at: number;
  readonly source: string;
  readonly id: string;
  readonly reason: string;
}

interface Entry {
  readonly version: number;
  /** Null if it was deleted, or no longer compiles. */
  readonly trigger: CompiledTrigger | null;
}

/** Every trigger of every tenant, compiled: matching an event does not read the store. */
export class TriggerIndex {
  readonly programs = eventPrograms();
  readonly #tenants = new Map<string, Map<string, Entry>>();
  readonly #refusals = new Map<string, Refusal[]>();

  /** Stores a version; a repeated or older version changes nothing. Returns whether the index changed. */
  adopt(definition: Definition): boolean {
    const { tenant, name, version, deleted, body } = definition;
    const triggers = this.#tenants.get(tenant) ?? new Map<string, Entry>();
    this.#tenants.set(tenant, triggers);
    if (version <= (triggers.get(name)?.version ?? 0)) return false;
    const trigger = deleted ? null : this.#compile({ tenant, name, version }, body);
    triggers.set(name, { version, trigger });
    return true;
  }

  #compile(
    id: { tenant: string; name: string; version: number },
    body: string,
  ): CompiledTrigger | null {
    const compiled = compileTrigger(this.programs, id, JSON.parse(body) as StoredTrigger);
    return compiled.kind === 'trigger' ? compiled.trigger : null;
  }

  *byTenant(tenant: string): Iterable<CompiledTrigger> {
    for (const { trigger } of this.#tenants.get(tenant)?.values() ?? []) {
      if (trigger !== null) yield trigger;
    }
  }

  get(tenant: string, name: string): CompiledTrigger | null {
    return this.#tenants.get(tenant)?.get(name)?.trigger ?? null;
  }

  count(tenant: string): number {
    return [...this.byTenant(tenant)].length;
  }

  /** Tenants with a trigger that starts a run when another run ends. */
  completionTenants(): Set<string> {
    const tenants = new Set<string>();
    for (const tenant of this.#tenants.keys()) {
      for (const { followsRuns, paused } of this.byTenant(tenant)) {
        if (followsRuns && !paused) tenants.add(tenant);
      }
    }
    return tenants;
  }

  /** Shown with the trigger: the newest refusals, of this node only. */
  refuse({ tenant, name }: CompiledTrigger, refusal: Refusal): void {
    const key = `${tenant}\n${name}`;
    const kept = this.#refusals.get(key) ?? [];
    this.#refusals.set(key, [...kept, refusal].slice(-REFUSALS_KEPT));
  }

  refusalsOf(tenant: string, name: string): readonly Refusal[] {
    return this.#refusals.get(`${tenant}\n${name}`) ?? [];
  }
}
