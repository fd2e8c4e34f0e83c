import type { Definition } from '@signalbox/store';
import { type CompiledTrigger, compileTrigger, eventPrograms } from './compile-trigger.ts';
import type { StoredTrigger } from './stored-trigger.ts';

const REFUSALS_KEPT = 20;

/** Something that was to start a run and could not. */
export interface Refusal {
  readonly at: number;
  readonly source: string;
  readonly id: string;
  readonly reason: string;
}

interface Entry {
  readonly version: number;
  /** Null where it was deleted, or cannot be compiled any more. */
  readonly trigger: CompiledTrigger | null;
}

/** Every trigger of every tenant, compiled: an event is matched without asking the store. */
export class TriggerBook {
  readonly programs = eventPrograms();
  readonly #tenants = new Map<string, Map<string, Entry>>();
  readonly #refusals = new Map<string, Refusal[]>();

  /** Takes a version in; said again, or after a newer one, it changes nothing. Answers whether it did. */
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
    of: { tenant: string; name: string; version: number },
    body: string,
  ): CompiledTrigger | null {
    const compiled = compileTrigger(this.programs, of, JSON.parse(body) as StoredTrigger);
    return compiled.kind === 'trigger' ? compiled.trigger : null;
  }

  *of(tenant: string): Iterable<CompiledTrigger> {
    for (const { trigger } of this.#tenants.get(tenant)?.values() ?? []) {
      if (trigger !== null) yield trigger;
    }
  }

  get(tenant: string, name: string): CompiledTrigger | null {
    return this.#tenants.get(tenant)?.get(name)?.trigger ?? null;
  }

  count(tenant: string): number {
    return [...this.of(tenant)].length;
  }

  /** Tenants that start runs when others of theirs end. */
  followers(): Set<string> {
    const tenants = new Set<string>();
    for (const tenant of this.#tenants.keys()) {
      for (const { followsRuns, paused } of this.of(tenant)) {
        if (followsRuns && !paused) tenants.add(tenant);
      }
    }
    return tenants;
  }

  /** Kept for people who look at the trigger; the newest few, by this node alone. */
  refuse({ tenant, name }: CompiledTrigger, refusal: Refusal): void {
    const key = `${tenant}\n${name}`;
    const kept = this.#refusals.get(key) ?? [];
    this.#refusals.set(key, [...kept, refusal].slice(-REFUSALS_KEPT));
  }

  refusalsOf(tenant: string, name: string): readonly Refusal[] {
    return this.#refusals.get(`${tenant}\n${name}`) ?? [];
  }
}
