import type { RunId } from '@signalbox/engine';
import type { PlacedEvent } from './run-feed.ts';

export type Listener = (events: readonly PlacedEvent[]) => void;

/**
 * Who watches what: by tenant, and by run. A thousand watchers cost only those they watch, and are
 * told of a whole group at once.
 */
export class Watchers {
  readonly #byTenant = new Map<string, Set<Listener>>();
  readonly #byRun = new Map<string, Set<Listener>>();
  /** Watched runs by partition and number, with how many watch: what a fact can be asked at once. */
  readonly #numbers = new Map<number, Map<number, number>>();

  get size(): number {
    return this.#byTenant.size + this.#byRun.size;
  }

  add(filter: { readonly tenant: string; readonly run?: RunId }, listener: Listener): () => void {
    const index = filter.run === undefined ? this.#byTenant : this.#byRun;
    const key = filter.run === undefined ? filter.tenant : runKey(filter.tenant, filter.run);
    const listeners = index.get(key) ?? new Set();
    index.set(key, listeners);
    // A listener of its own for each, so that one function may watch twice.
    const own: Listener = (events) => listener(events);
    listeners.add(own);
    this.#count(filter.run, 1);
    return () => {
      if (listeners.delete(own)) this.#count(filter.run, -1);
      if (listeners.size === 0 && index.get(key) === listeners) index.delete(key);
    };
  }

  /**
   * False if no watcher can want it. Asked before a fact is given the name of its run, which costs
   * far more: those who each follow a run of theirs must not slow down all the others.
   */
  mayWant(partition: number, seq: number): boolean {
    return this.#byTenant.size > 0 || (this.#numbers.get(partition)?.has(seq) ?? false);
  }

  #count(run: RunId | undefined, by: 1 | -1): void {
    if (run === undefined) return;
    const counts = this.#numbers.get(run.partition) ?? new Map<number, number>();
    this.#numbers.set(run.partition, counts);
    const count = (counts.get(run.seq) ?? 0) + by;
    if (count > 0) counts.set(run.seq, count);
    else counts.delete(run.seq);
  }

  wants(tenant: string, run: RunId): boolean {
    if (this.#byTenant.has(tenant)) return true;
    return this.#byRun.size > 0 && this.#byRun.has(runKey(tenant, run));
  }

  /** Events of one group, in order. */
  tell(events: readonly PlacedEvent[]): void {
    for (const [tenant, some] of groupBy(events, (event) => event.tenant)) {
      for (const listener of this.#byTenant.get(tenant) ?? NOBODY) listener(some);
    }
    if (this.#byRun.size === 0) return;
    for (const [key, some] of groupBy(events, (event) => runKey(event.tenant, event.run))) {
      for (const listener of this.#byRun.get(key) ?? NOBODY) listener(some);
    }
  }
}

const NOBODY: readonly Listener[] = [];

function groupBy(
  events: readonly PlacedEvent[],
  keyOf: (event: PlacedEvent) => string,
): Map<string, PlacedEvent[]> {
  const groups = new Map<string, PlacedEvent[]>();
  for (const event of events) {
    const key = keyOf(event);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [event]);
    else group.push(event);
  }
  return groups;
}

function runKey(tenant: string, run: RunId): string {
  return `${tenant}\n${run.partition}/${run.seq}/${run.ms}`;
}
