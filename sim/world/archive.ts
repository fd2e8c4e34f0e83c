import { firstIdOf, type RunId } from '@signalbox/engine';
import type { Commit, Group, Segment, Store, StoredRun } from '@signalbox/store';
import type { MemoryStore } from '@signalbox/store/memory';
import type { History } from '../history.ts';
import { runKey } from '../names.ts';
import type { Clockwork } from './clockwork.ts';

const RUNS_PER_READ = 20;

/** How the disk sees the time, and which runs have not ended. */
export interface Surroundings {
  readonly clockwork: Clockwork;
  readonly history: History;
  /** The right time, whatever the store's clock says. */
  readonly trueMs: () => number;
  readonly isOpen: (run: RunId) => boolean;
}

interface Name {
  readonly tenant: string;
  readonly key: string;
  readonly run: RunId;
  /** When the submission was decided that has it, by the right clock. */
  readonly atMs: number;
}

/**
 * What retention drops from the disk, and who held which key when: a checker judges the whole
 * history, also the part that the product has let go. What is dropped is noted together with what
 * it was still needed for.
 */
export class Archive {
  readonly runs: StoredRun[] = [];
  readonly groups = new Map<number, Group[]>();
  readonly tenants = new Set<string>();
  readonly #names = new Map<string, { t: number; run: RunId }[]>();
  readonly #held = new Map<string, Name>();
  readonly #partitions = new Set<number>();
  /** Segments whose runs are kept, or being read. */
  readonly #kept = new Map<number, Promise<void>>();
  #leapMs = 0;
  readonly #memory: MemoryStore;
  readonly #around: Surroundings;

  constructor(memory: MemoryStore, around: Surroundings) {
    this.#memory = memory;
    this.#around = around;
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
        await this.#keepOnce(fromMs);
        return store.dropSegment(fromMs);
      },
      dropGroupsBefore: async (query) => {
        await this.keepGroups();
        const count = await store.dropGroupsBefore(query);
        if (count > 0) await this.#noteGaps(count);
        return count;
      },
      forgetKeys: async (query) => {
        const answer = await store.forgetKeys(query);
        if (answer.forgotten > 0) await this.#noteForgotten();
        return answer;
      },
    };
  }

  /** Everything was off for that long; what was decided before becomes durable after it. */
  leapt(byMs: number): void {
    this.#leapMs = byMs;
  }

  /** Notes who holds which key since this commit. */
  name({ parts }: Commit): void {
    for (const { runs, aliases } of parts) {
      for (const { tenant, keys, id } of runs) {
        this.tenants.add(tenant);
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
      const more = await this.#memory.readGroups({ partition, afterSeq, limit: 1e9 });
      // Two nodes may sweep at once.
      kept.push(...more.filter(({ seq }) => seq > (kept.at(-1)?.seq ?? 0)));
    }
  }

  /** Another node may drop the same segment meanwhile: both wait until its runs have been read. */
  async #keepOnce(fromMs: number): Promise<void> {
    const segments = await this.#memory.listSegments();
    const segment = segments.find((each) => each.fromMs === fromMs);
    if (segment?.sealed) {
      if (!this.#kept.has(fromMs)) this.#kept.set(fromMs, this.#keepRuns(segment));
      await this.#kept.get(fromMs);
    }
  }

  async #keepRuns({ fromMs, toMs }: Segment): Promise<void> {
    const dropped: StoredRun[] = [];
    for (const tenant of this.tenants) {
      // By the page: older segments are still there while a run in them is open, and may be large.
      for (let before: RunId | null = firstIdOf(toMs); before !== null; ) {
        const query: Parameters<Store['listRuns']>[0] = { tenant, before, limit: RUNS_PER_READ };
        const page = await this.#memory.listRuns(query);
        const own = page.filter(({ run }) => run.id.ms >= fromMs);
        dropped.push(...own);
        before = own.length === RUNS_PER_READ ? (own.at(-1)?.run.id ?? null) : null;
      }
    }
    this.runs.push(...dropped);
    const open = dropped.filter(({ end }) => end === null).map(({ run }) => runKey(run.id));
    const trueMs = this.#around.trueMs();
    const runs = dropped.length;
    this.#around.history.add({ kind: 'segment.dropped', fromMs, toMs, trueMs, runs, open });
  }

  /** Behind its checkpoint a partition needs every group: the next owner begins there. */
  async #noteGaps(count: number): Promise<void> {
    const gaps: string[] = [];
    for (const partition of this.#partitions) {
      const afterSeq = (await this.#memory.readCheckpoint(partition))?.seq ?? 0;
      const [next] = await this.#memory.readGroups({ partition, afterSeq, limit: 1 });
      const isMissing = (next?.seq ?? afterSeq + 1) !== afterSeq + 1;
      if (isMissing) gaps.push(`partition ${partition} lacks what follows group ${afterSeq}`);
    }
    this.#around.history.add({ kind: 'groups.dropped', count, gaps });
  }

  /** Keys of runs that live, and those that were given a moment ago, are needed. */
  async #noteForgotten(): Promise<void> {
    const all = [...this.#held];
    const found = await Promise.all(all.map(([, name]) => this.#memory.readKeys([name])));
    const gone = all.filter((_, i) => found[i]?.length === 0);
    const now = this.#around.trueMs();
    const live: string[] = [];
    let youngestMs = Number.POSITIVE_INFINITY;
    for (const [id, { key, run, atMs }] of gone) {
      this.#held.delete(id);
      if (this.#around.isOpen(run)) live.push(`${key} of run ${runKey(run)}`);
      youngestMs = Math.min(youngestMs, now - atMs);
    }
    if (gone.length === 0) return;
    const count = gone.length;
    this.#around.history.add({ kind: 'keys.forgotten', count, live, youngestMs });
  }

  #note(tenant: string, key: string, run: RunId): void {
    const name = `${tenant}\0${key}`;
    const held = this.#names.get(name) ?? [];
    const last = held.at(-1)?.run;
    // The first keeps it; it is taken again only after it was dropped.
    if (last?.seq === run.seq && last.partition === run.partition) return;
    held.push({ t: this.#around.clockwork.now, run });
    this.#names.set(name, held);
    // An alias of a run whose own key is taken is written nowhere.
    if (!this.#held.has(name)) {
      const now = this.#around.trueMs();
      const lateMs = Math.min(Math.max(0, now - run.ms), this.#leapMs);
      this.#held.set(name, { tenant, key, run, atMs: now - lateMs });
    }
  }
}
