import type { RunId } from '@signalbox/engine';
import type { Commit, Group, Store, StoredRun } from '@signalbox/store';
import type { MemoryStore } from '@signalbox/store/memory';
import type { Clockwork } from './clockwork.ts';

/**
 * What retention drops from the disk, and who held which key when: a checker judges the whole
 * history, also the part that the product has let go.
 */
export class Archive {
  readonly runs: StoredRun[] = [];
  readonly groups = new Map<number, Group[]>();
  readonly #names = new Map<string, { t: number; run: RunId }[]>();
  readonly #tenants = new Set<string>();
  readonly #partitions = new Set<number>();
  readonly #memory: MemoryStore;
  readonly #clockwork: Clockwork;

  constructor(memory: MemoryStore, clockwork: Clockwork) {
    this.#memory = memory;
    this.#clockwork = clockwork;
  }

  /** A store that archives what it is about to drop. */
  before(store: Store): Store {
    return {
      ...store,
      acquireLease: (request) => {
        this.#partitions.add(request.partition);
        return store.acquireLease(request);
      },
      dropSegment: async (fromMs) => {
        await this.#keepRuns(fromMs);
        return store.dropSegment(fromMs);
      },
      dropGroupsBefore: async (query) => {
        await this.keepGroups();
        return store.dropGroupsBefore(query);
      },
    };
  }

  /** Notes who holds which key since this commit. */
  name({ parts }: Commit): void {
    for (const { runs, aliases } of parts) {
      for (const { tenant, keys, id } of runs) {
        this.#tenants.add(tenant);
        for (const key of keys) this.#note(tenant, key, id);
      }
      for (const { tenant, key, run } of aliases) this.#note(tenant, key, run);
    }
  }

  /** The run that took a name in that time, or had it already; null where nobody knows. */
  holderOf(
    tenant: string,
    key: string,
    { t: from, untilMs }: { readonly t: number; readonly untilMs: number },
  ): RunId | null {
    const held = this.#names.get(`${tenant}\0${key}`) ?? [];
    const later = held.find(({ t }) => t >= from && t < untilMs);
    return (later ?? held.findLast(({ t }) => t < from))?.run ?? null;
  }

  async keepGroups(): Promise<void> {
    for (const partition of this.#partitions) {
      const kept = this.groups.get(partition) ?? [];
      this.groups.set(partition, kept);
      const afterSeq = kept.at(-1)?.seq ?? 0;
      kept.push(...(await this.#memory.readGroups({ partition, afterSeq, limit: 1e9 })));
    }
  }

  async #keepRuns(fromMs: number): Promise<void> {
    const segment = (await this.#memory.listSegments()).find((each) => each.fromMs === fromMs);
    if (segment === undefined) return;
    for (const tenant of this.#tenants) {
      const all = await this.#memory.listRuns({ tenant, before: null, limit: 1e9 });
      const isIn = ({ run: { id } }: StoredRun) => id.ms >= fromMs && id.ms < segment.toMs;
      this.runs.push(...all.filter(isIn));
    }
  }

  #note(tenant: string, key: string, run: RunId): void {
    const name = `${tenant}\0${key}`;
    const held = this.#names.get(name) ?? [];
    const last = held.at(-1)?.run;
    // The first keeps it; it is taken again only after it was dropped.
    if (last?.seq === run.seq && last.partition === run.partition) return;
    held.push({ t: this.#clockwork.now, run });
    this.#names.set(name, held);
  }
}
