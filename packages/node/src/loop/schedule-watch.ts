import type { Answer, Book, Command, Engine } from '@signalbox/engine';
import {
  type Definition,
  definitionBytes,
  readPages,
  type Store,
  type StoreError,
} from '@signalbox/store';
import { asStoreError } from './committer.ts';
import { PollBackOff } from './poll-back-off.ts';
import type { LoopPorts } from './ports.ts';
import { ScheduleJobs } from './schedule-jobs.ts';
import { ScheduleVersions } from './schedule-versions.ts';
import type { Specs } from './specs.ts';

const PAGE = 1_000;
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
  readonly #jobs: ScheduleJobs;
  readonly #versions: ScheduleVersions;
  /** Partitions of which every definition has been read since they came. */
  readonly #read = new WeakSet<Book>();
  /** Partitions that came and for which a look was begun at once. */
  readonly #hurried = new WeakSet<Book>();
  /** The last look that went through, on the store's clock and on ours. */
  #looked: { readonly storeMs: number; readonly ownMs: number } | null = null;
  #readAllAt = 0;
  readonly #looks = new PollBackOff(POLLS_ALONE);
  #looking: Promise<void> | null = null;
  /**
   * Something that was saved has not been adopted: the store or the lease was away. The next poll
   * looks, also on a node that is alone; otherwise a schedule that was paused or deleted right after
   * an outage goes on for a minute.
   */
  #isBehind = false;
  #cancelPoll: () => void = () => {};
  #stopped = false;

  constructor(params: WatchParams) {
    this.#p = params;
    this.#jobs = new ScheduleJobs(params);
    this.#versions = new ScheduleVersions(params.engine, params.partitions);
  }

  start(): void {
    this.#cancelPoll = this.#p.ports.after(this.#p.pollMs, () => void this.#poll());
  }

  stop(): void {
    this.#stopped = true;
    this.#jobs.stop();
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
    const set = this.#versions.toSet(definition);
    if (set === null) return;
    // The look that reads the partition, or the versions in between, finds it as well.
    if (!this.#isRead(set.partition) || !this.#versions.isNext(set)) return this.refresh();
    try {
      const commands = await this.#jobs.withJobs([set]);
      const answers = await this.#p.executeAll(commands);
      if (answers.every(isSettled)) return;
      this.#isBehind = true;
      // Posted all the same: it is decided before any window is, once the store or the lease is back.
      for (const command of commands) this.#p.deliver(command);
    } catch (error) {
      this.#isBehind = true;
      this.#p.storeFailed(asStoreError(error));
    }
  }

  /** A job was changed on this node: its schedules use the new version from now on. */
  async jobChanged(tenant: string, job: string): Promise<void> {
    if (!(await this.#jobs.changed(tenant, job))) this.#isBehind = true;
  }

  /** Reads the jobs that due schedules wait for. */
  readJobs(): void {
    this.#jobs.readWanted((partition) => this.#isRead(partition));
  }

  #isRead(partition: number): boolean {
    const book = this.#p.engine.core.books.get(partition);
    if (book === undefined || this.#read.has(book)) return book !== undefined;
    if (!this.#hurried.has(book)) {
      this.#hurried.add(book);
      void this.refresh();
    }
    return false;
  }

  async #poll(): Promise<void> {
    // Where there is no other node, none writes: what is saved here is known.
    const mayPassOver = this.#p.isAlone() && !this.#isBehind && this.#came().length === 0;
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
    // A change that is not adopted while this look is under way sets it again.
    this.#isBehind = false;
    try {
      const ownMs = this.#p.ports.monotonicMs();
      const storeMs = await store.now();
      const came = this.#came();
      const since = this.#since(storeMs, ownMs);
      const readsAll = came.length > 0 || since === 0;
      const isAdopted = await this.#readSchedules(readsAll ? 0 : since);
      const areRead = await this.#readChangedJobs(since);
      if (!isAdopted || !areRead) {
        this.#isBehind = true;
        return;
      }
      for (const book of came) this.#read.add(book);
      this.readJobs();
      this.#looked = { storeMs, ownMs };
      if (since === 0) this.#readAllAt = ownMs;
    } catch (error) {
      this.#isBehind = true;
      this.#p.storeFailed(asStoreError(error));
    }
  }

  /** Partitions of which not every definition has been read since they came. */
  #came(): Book[] {
    return [...this.#p.engine.core.books.values()].filter((book) => !this.#read.has(book));
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
    const definitions: Definition[] = [];
    // A trigger that expects events has a schedule of them.
    for (const kind of ['schedule', 'trigger']) {
      for await (const page of this.#changes(kind, sinceMs)) {
        for (const definition of page) {
          // The engine keeps the version that it has.
          if (definition.damaged) continue;
          if (this.#versions.toSet(definition) !== null) definitions.push(definition);
        }
      }
    }
    let isAdopted = true;
    for (const sets of this.#versions.toAdopt(definitions)) {
      // All of a job in one turn: between its becoming known and an edit nothing may fire.
      const answers = await this.#p.executeAll(await this.#jobs.withJobs(sets));
      isAdopted &&= answers.every(isSettled);
    }
    return isAdopted;
  }

  /** False where one could not be read. */
  async #readChangedJobs(sinceMs: number): Promise<boolean> {
    let areRead = true;
    for await (const page of this.#changes('job', sinceMs)) {
      areRead = (await this.#jobs.changedAll(page)) && areRead;
    }
    return areRead;
  }

  async *#changes(kind: string, sinceMs: number): AsyncIterable<Definition[]> {
    const start = { atMs: sinceMs, tenant: '', name: '', version: 0 };
    const pages = readPages<Definition>({
      limit: PAGE,
      bytesOf: definitionBytes,
      read: (after, limits) =>
        this.#p.store.listDefinitionChanges({ kind, after: after ?? start, ...limits }),
    });
    for await (const page of pages) {
      yield page;
      if (this.#stopped) return;
    }
  }
}

/** A version that the engine will always refuse must not be retried without end. */
function isSettled(answer: Answer): boolean {
  return answer.kind !== 'refused' || answer.code === 'invalid';
}
