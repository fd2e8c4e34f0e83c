import {
  type Answer,
  type Book,
  type Command,
  type Engine,
  type JobHead,
  partitionOf,
  type Schedule,
  scheduleKey,
  scheduleSpec,
} from '@signalbox/engine';
import type { Definition, DefinitionCursor, Store, StoreError } from '@signalbox/store';
import { type Adoption, chunksByJob, type SetSchedule } from './adoption.ts';
import { asStoreError } from './committer.ts';
import { definedSchedule } from './defined-schedule.ts';
import { Looks } from './looks.ts';
import type { LoopPorts } from './ports.ts';
import type { Specs } from './specs.ts';

const PAGE = 1_000;
const JOBS_AT_ONCE = 32;
/** Two writers may commit in another order than their times say; what was seen is passed over. */
const LOOK_BACK_MS = 60_000;
/** Below what is looked back: whoever comes finds nothing missed. */
const POLLS_ALONE = 55;
/** Everything is read again this often: a store's clock that was set to and fro hides changes. */
const READ_ALL_MS = 600_000;

interface WatchParams {
  readonly store: Store;
  readonly ports: LoopPorts;
  readonly engine: Engine;
  readonly specs: Specs;
  readonly partitions: number;
  readonly pollMs: number;
  /** No other node is there that could save anything. */
  isAlone(): boolean;
  executeAll(commands: readonly Command[]): Promise<readonly Answer[]>;
  deliver(command: Command): void;
  storeFailed(error: StoreError): void;
}

/**
 * Keeps the engine told of schedules and of the jobs they start: what is defined is in rows that any
 * node may write. Looks never overlap; the next one waits until the one before has ended.
 *
 * A schedule fires nothing before its job is known. So a job is not told before every definition of
 * its partition has been read: what was edited while nobody owned the partition would otherwise
 * still fire under the version before.
 */
export class ScheduleWatch {
  readonly #p: WatchParams;
  /** Partitions of which every definition has been read since they came, by their epoch. */
  readonly #read = new Map<number, number>();
  /** Partitions that came and for which a look was begun at once. */
  readonly #hurried = new Map<number, number>();
  readonly #jobs = new Set<string>();
  /** The last look that went through, on the store's clock and on ours. */
  #looked: { readonly storeMs: number; readonly ownMs: number } | null = null;
  #readAllAt = 0;
  readonly #looks = new Looks(POLLS_ALONE);
  #looking: Promise<void> | null = null;
  #cancelPoll: () => void = () => {};
  #stopped = false;

  constructor(params: WatchParams) {
    this.#p = params;
  }

  start(): void {
    this.#cancelPoll = this.#p.ports.after(this.#p.pollMs, () => void this.#poll());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelPoll();
  }

  /** Looks now: to be awaited after a change on this node, before its author is answered. */
  async refresh(): Promise<void> {
    // One that is under way may have read before the change.
    await this.#looking;
    await this.#lookOnce();
  }

  /** Carries out one version that was saved on this node, at once; a look would find it later. */
  async adopt(definition: Definition): Promise<void> {
    const set = this.#toSet(definition);
    if (set === null) return;
    // The look that reads the partition finds it as well.
    if (!this.#isRead(set.partition)) return this.refresh();
    try {
      for (const job of await this.#readJobsOf([set])) this.#p.deliver(job);
      await this.#p.executeAll([set]);
    } catch (error) {
      this.#p.storeFailed(asStoreError(error));
    }
  }

  /** A job was changed on this node: its schedules use the new version from now on. */
  async jobChanged(tenant: string, job: string): Promise<void> {
    const partition = partitionOf(tenant, job, this.#p.partitions);
    const schedule = this.#aScheduleOf(partition, tenant, job);
    if (schedule === null || schedule.job.kind === 'unknown') return;
    await this.#readJob({ partition, tenant, job });
  }

  /** Reads the jobs that due schedules wait for. */
  readJobs(): void {
    if (this.#p.engine.core.jobsWanted.size === 0) return;
    for (const { partition, tenant, job } of this.#p.engine.jobsWanted()) {
      if (this.#jobs.size >= JOBS_AT_ONCE) return;
      if (!this.#isRead(partition)) continue;
      const key = `${partition}/${scheduleKey(tenant, job)}`;
      if (this.#jobs.has(key)) continue;
      this.#jobs.add(key);
      void this.#readJob({ partition, tenant, job }).then((isRead) => {
        // Not before it is taken in: `deliver` only queues it.
        this.#p.ports.defer(() => {
          this.#jobs.delete(key);
          if (isRead && !this.#stopped) this.readJobs();
        });
      });
    }
  }

  #isRead(partition: number): boolean {
    const epoch = this.#p.engine.core.books.get(partition)?.epoch;
    if (epoch === undefined || this.#read.get(partition) === epoch) return epoch !== undefined;
    if (this.#hurried.get(partition) !== epoch) {
      this.#hurried.set(partition, epoch);
      void this.refresh();
    }
    return false;
  }

  async #poll(): Promise<void> {
    // Where there is no other node, none writes: what is saved here is known.
    const mayPassOver = this.#p.isAlone() && this.#came().length === 0;
    if (this.#looks.isDue(mayPassOver)) {
      await this.#looking;
      await this.#lookOnce();
    }
    if (!this.#stopped) this.start();
  }

  #lookOnce(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { engine, store } = this.#p;
    if (this.#stopped || engine.core.books.size === 0) return;
    try {
      const ownMs = this.#p.ports.monotonicMs();
      const storeMs = await store.now();
      const came = this.#came();
      const since = this.#since(storeMs, ownMs);
      const readsAll = came.length > 0 || since === 0;
      const isAdopted = await this.#readSchedules(readsAll ? 0 : since);
      await this.#readChangedJobs(since);
      if (!isAdopted) return;
      for (const { partition, epoch } of came) this.#read.set(partition, epoch);
      this.readJobs();
      this.#looked = { storeMs, ownMs };
      if (since === 0) this.#readAllAt = ownMs;
    } catch (error) {
      this.#p.storeFailed(asStoreError(error));
    }
  }

  /** Partitions of which not every definition has been read since they came. */
  #came(): Book[] {
    const { books } = this.#p.engine.core;
    return [...books.values()].filter((book) => this.#read.get(book.partition) !== book.epoch);
  }

  /**
   * The store's clock may have been set back since the last look: what was saved after that bears an
   * earlier time, but none before now less the time that has really passed.
   */
  #since(storeMs: number, ownMs: number): number {
    const looked = this.#looked;
    if (looked === null || ownMs - this.#readAllAt >= READ_ALL_MS) return 0;
    // Our clock counts fractions, which no store takes for a time.
    const passed = Math.ceil(ownMs - looked.ownMs);
    return Math.min(looked.storeMs, storeMs - passed) - LOOK_BACK_MS;
  }

  /** False where a version could not be adopted yet: it is read again. */
  async #readSchedules(sinceMs: number): Promise<boolean> {
    const news: Adoption[] = [];
    // A trigger that expects events has a schedule of them.
    for (const kind of ['schedule', 'trigger']) {
      for await (const page of this.#changes(kind, sinceMs)) {
        for (const definition of page) {
          const set = this.#toSet(definition);
          if (set !== null) news.push({ job: jobOf(definition), set });
        }
      }
    }
    let isAdopted = true;
    for (const sets of chunksByJob(news)) {
      // All of a job in one turn: between its becoming known and an edit nothing may fire.
      const jobs = await this.#readJobsOf(sets);
      for (const job of jobs) this.#p.deliver(job);
      const answers = await this.#p.executeAll(sets);
      isAdopted &&= answers.every(isSettled);
    }
    return isAdopted;
  }

  /** The jobs of schedules that are edited: what the version before owes needs them. */
  async #readJobsOf(sets: readonly SetSchedule[]): Promise<Command[]> {
    const commands = new Map<string, Command>();
    for (const { partition, tenant, schedule } of sets) {
      const book = this.#p.engine.core.books.get(partition);
      const known = book?.schedules.get(scheduleKey(tenant, schedule));
      if (known === undefined || known.job.kind !== 'unknown') continue;
      const { job } = known.spec;
      const key = scheduleKey(tenant, job);
      if (commands.has(key)) continue;
      const head = this.#headOf(await this.#p.specs.newest(tenant, job));
      commands.set(key, { kind: 'setJob', partition, tenant, job, head });
    }
    return [...commands.values()];
  }

  /** Null where it is another node's, or nothing new. */
  #toSet(definition: Definition): SetSchedule | null {
    const { tenant, version, deleted, atMs: savedAt } = definition;
    const { schedule, job, wanted } = definedSchedule(definition);
    const partition = partitionOf(tenant, job, this.#p.partitions);
    const book = this.#p.engine.core.books.get(partition);
    if (book === undefined) return null;
    const key = scheduleKey(tenant, schedule);
    const known = book.schedules.get(key) ?? book.removedSchedules.get(key);
    if (version <= (known?.version ?? 0)) return null;
    const spec = deleted || wanted === null ? null : scheduleSpec(wanted);
    if (spec === null && known === undefined) return null;
    return { kind: 'setSchedule', partition, tenant, schedule, version, spec, savedAt };
  }

  async #readChangedJobs(sinceMs: number): Promise<void> {
    for await (const page of this.#changes('job', sinceMs)) {
      for (const { tenant, name: job, version, deleted } of page) {
        const partition = partitionOf(tenant, job, this.#p.partitions);
        const schedule = this.#aScheduleOf(partition, tenant, job);
        if (schedule === null || isKnown(schedule.job, version, deleted)) continue;
        await this.#readJob({ partition, tenant, job });
      }
    }
  }

  #aScheduleOf(partition: number, tenant: string, job: string): Schedule | null {
    const book = this.#p.engine.core.books.get(partition);
    for (const schedule of book?.schedulesOf(tenant, job) ?? []) return schedule;
    return null;
  }

  async #readJob(of: { partition: number; tenant: string; job: string }): Promise<boolean> {
    try {
      const spec = await this.#p.specs.newest(of.tenant, of.job);
      if (this.#stopped) return false;
      this.#p.deliver({ kind: 'setJob', ...of, head: this.#headOf(spec) });
      return true;
    } catch (error) {
      // It stays wanted, and is asked for again with the next step.
      this.#p.storeFailed(asStoreError(error));
      return false;
    }
  }

  #headOf(spec: Awaited<ReturnType<Specs['newest']>>): JobHead {
    if (spec === null) return { kind: 'deleted' };
    const definition = this.#p.specs.definitionOf(spec) as { readonly paused?: boolean } | null;
    return definition?.paused === true ? { kind: 'paused' } : { kind: 'ready', spec };
  }

  async *#changes(kind: string, sinceMs: number): AsyncIterable<Definition[]> {
    let after: DefinitionCursor = { atMs: sinceMs, tenant: '', name: '', version: 0 };
    for (;;) {
      const page = await this.#p.store.listDefinitionChanges({ kind, after, limit: PAGE });
      if (page.length > 0) yield page;
      if (page.length < PAGE || this.#stopped) return;
      after = page.at(-1) as Definition;
    }
  }
}

/** Also a deleted version says whose it was. */
function jobOf(definition: Definition): string {
  return scheduleKey(definition.tenant, definedSchedule(definition).job);
}

/** One that the engine will never have must not be tried for ever. */
function isSettled(answer: Answer): boolean {
  return answer.kind !== 'refused' || answer.code === 'invalid';
}

/** A job that nobody has asked for yet is read when it is due. */
function isKnown(head: JobHead, version: number, deleted: boolean): boolean {
  switch (head.kind) {
    case 'unknown':
      return true;
    case 'ready':
      return !deleted && head.spec.version >= version;
    case 'deleted':
      return deleted;
    case 'paused':
      return false;
  }
}
