import type { Effect } from '../effects.ts';
import { factBytes } from '../facts/fact-bytes.ts';
import type { Fact, RunEnded } from '../facts/facts.ts';
import { fold } from '../facts/fold.ts';
import type { Book } from '../model/book.ts';
import type { Class } from '../model/classes.ts';
import { Deque } from '../model/deque.ts';
import { EventWaits } from '../model/event-waits.ts';
import type { PauseReason } from '../model/graph.ts';
import { ReadyQueues } from '../model/queues.ts';
import type { Random } from '../model/random.ts';
import type { Run, Task } from '../model/run.ts';
import type { Schedule } from '../model/schedule.ts';
import type { Shape } from '../model/shape.ts';
import { TenantClass } from '../model/tenant-class.ts';
import { TimerWheel } from '../model/timer-wheel.ts';
import type { Level, Worker, WorkerKind } from '../model/worker.ts';
import { WorkerIndex } from '../model/worker-index.ts';
import { ZoneCounts } from '../model/zone-counts.ts';
import type { EngineSettings } from '../settings.ts';
import { NO_WORDS, type Word } from '../words.ts';
import { Pacer } from './pacer.ts';
import { ReadyOrders } from './ready-orders.ts';
import { RecentKeys } from './recent-keys.ts';
import { WatchTimer } from './watch-timer.ts';

/** A run that has just ended, as it was in memory, and the fact that says so. */
export interface FollowedEnd {
  readonly run: Run;
  readonly fact: RunEnded;
}

/** Shared and never written: most steps have none. */
export const NO_ENDS: FollowedEnd[] = [];

/**
 * The one mutable state of a node: the books of the partitions it holds, and what is derived from
 * them. Stages are functions over it; only `emit` changes a book.
 */
export class Core {
  readonly settings: EngineSettings;
  readonly books = new Map<number, Book>();
  readonly wheel = new TimerWheel();
  readonly workers = new WorkerIndex();
  readonly queues = new ReadyQueues();
  readonly zoneCounts = new ZoneCounts();
  readonly keys: RecentKeys;
  readonly #tenants = new Map<string, readonly [TenantClass, TenantClass, TenantClass]>();
  /** Tenants that have something queued or running; the others cost nothing per pass. */
  readonly #active = new Set<TenantClass>();
  /** Ready tasks that only a rule about themselves keeps from every worker with room. */
  readonly stalled = new Set<Task>();
  /** Workers kept free for shapes that need much at once, by shape id. */
  readonly reservations = new Map<number, Worker>();
  /** Assignments so far, and the last one of each class. */
  assignments = 0;
  readonly lastServed: [number, number, number] = [0, 0, 0];
  /** Live attempts of workers that are not attached, by worker. */
  readonly orphans = new Map<string, Set<Task>>();
  /** Schedules whose time has come, in the order in which it came. */
  readonly dueSchedules = new Deque<Schedule>();
  /** Partitions that came, and which of their schedules have no timer yet: very many take a while. */
  readonly unarmed: { readonly book: Book; readonly schedules: Iterator<Schedule> }[] = [];
  /** Jobs of due schedules that are not known here; the loop reads them and hands them in. */
  readonly jobsWanted = new Map<string, { partition: number; tenant: string; job: string }>();
  /** Tasks that wait for no other any more and have not been looked at. */
  readonly unblocked = new Deque<Task>();
  /** Somebody is going through `unblocked` already. */
  draining = false;
  readonly eventWaits = new EventWaits();
  readonly pacer: Pacer;
  readonly #watchTimer = new WatchTimer();
  /** Set by the engine for the length of one command. */
  now = 0;
  random: Random = { next: () => 0 };
  facts: Fact[] = [];
  /** What these facts, and messages to other partitions, add to their commit in payloads. */
  pendingBytes = 0;
  effects: Effect[] = [];
  /** Tenants that start runs when others end; nobody else's ends are told. */
  followers: ReadonlySet<string> = new Set();
  /** Ends of their runs since the last time; what follows from them goes into the same group. */
  ends: FollowedEnd[] = NO_ENDS;
  /** What decisions since the last time owe to runs of other partitions. */
  words: Word[] = NO_WORDS;
  /** The group that facts decided now will belong to. */
  groupNumber = 0;
  /** Groups up to this one are durable. */
  durableGroup = 0;
  /** Schedules whose next window is compared with a provisional run: due again once that is decided. */
  readonly undecidedSchedules = new Set<Schedule>();
  pauseFrom: 0 | 1 | 2 | 3 = 3;
  /** Fair keys of the tenants served last, per class, as they were when they were served. */
  readonly fairLevel: [number, number, number] = [0, 0, 0];
  /** The tenants served last; their use since may be less than was expected then. */
  readonly servedTenant: [TenantClass | null, TenantClass | null, TenantClass | null] = [
    null,
    null,
    null,
  ];
  /** The lowest fair key among tenants that compete or run, per class, as last computed. */
  readonly lowestKey: [number, number, number] = [0, 0, 0];
  readonly #orders = new ReadyOrders();
  /** Wired by the engine: what the end of a task means for the rest of its run. */
  onTaskEnded: (task: Task) => void = () => {};
  /** Wired by the engine: looks at a task that waits for no other any more. */
  evaluate: (task: Task) => void = () => {};
  /** Wired by the engine: looks at all that `unblocked` holds. */
  drain: () => void = () => {};
  /** Wired by the engine. */
  pauseRun: (run: Run, cause: { by: string; why: PauseReason; detail: string }) => void = () => {};
  /** Wired by the engine: what the output of a dynamic task adds to its run; answers why it cannot. */
  addTasks: (task: Task, output: Uint8Array | null) => string | null = () => null;
  /** Wired by the engine: what the end of a run means for the schedule that it is of. */
  onRunEnded: (run: Run, fact: RunEnded) => void = () => {};
  /** Wired by the engine: whether placement would consider the level for the shape. */
  admits: (shape: Shape, level: Level) => boolean = () => true;
  /** Wired by the engine: whether this very worker could take this very task. */
  mayTake: (task: Task, worker: Worker) => boolean = () => true;
  admitsKind: (shape: Shape, kind: WorkerKind) => boolean = () => true;

  constructor(settings: EngineSettings) {
    this.settings = settings;
    this.keys = new RecentKeys(settings.keysKept);
    this.pacer = new Pacer(settings.readyPerSecond);
  }

  /** Decides a fact: from here on it has happened, in memory at once and durably with its group. */
  emit(book: Book, fact: Fact, run: Run | null): void {
    fold(book, fact);
    if (run !== null) run.groupNumber = this.groupNumber;
    this.facts.push(fact);
    this.pendingBytes += factBytes(fact);
  }

  /** Whether the store may still refuse the run's key: the run then never existed. */
  isProvisional(run: Run): boolean {
    return run.provisionalIn > this.durableGroup;
  }

  tell(effect: Effect): void {
    this.effects.push(effect);
  }

  /** Owes something to a run elsewhere; it becomes durable with the facts of this decision. */
  owe(word: Word): void {
    this.pendingBytes += word.payload?.length ?? 0;
    if (this.words === NO_WORDS) this.words = [word];
    else this.words.push(word);
  }

  /** There is a graph: it is looked at now and then, as long as there is one. */
  watch(): void {
    if (this.#watchTimer.timerBucket !== null) return;
    this.wheel.arm(this.#watchTimer, this.now + this.settings.watchRunsMs);
  }

  takeOrder(readyMs: number): number {
    return this.#orders.next(readyMs);
  }

  /**
   * Where a tenant starts that did not compete: level with the tenant served last, and with the one
   * that has used least. The first alone is old where a single long attempt has run since.
   */
  startLevel(klass: Class): number {
    const served = this.servedTenant[klass]?.fairKey ?? 0;
    return Math.max(Math.min(this.fairLevel[klass], served), this.lowestKey[klass]);
  }

  bookOf(run: Run): Book {
    return this.books.get(run.partition) as Book;
  }

  ofTenant(tenant: string, klass: Class): TenantClass {
    return this.tenant(tenant)[klass];
  }

  /** Something of the tenant is queued or runs from now on. */
  activate(owner: TenantClass): void {
    this.#active.add(owner);
  }

  /** Sets a task aside that no worker with room may take; it still counts as queued (paging). */
  stall(task: Task): void {
    this.stalled.add(task);
    this.ofTenant(task.run.spec.tenant, task.run.class).stall(task.shape, 1);
  }

  unstall(task: Task): void {
    if (!this.stalled.delete(task)) return;
    this.ofTenant(task.run.spec.tenant, task.run.class).stall(task.shape, -1);
  }

  tenant(tenant: string): readonly [TenantClass, TenantClass, TenantClass] {
    let classes = this.#tenants.get(tenant);
    if (classes === undefined) {
      classes = [
        new TenantClass(tenant, 0),
        new TenantClass(tenant, 1),
        new TenantClass(tenant, 2),
      ];
      this.#tenants.set(tenant, classes);
    }
    return classes;
  }

  /** Tenants with something queued or running. Those that fell idle are let go of on the way. */
  *activeTenants(): Iterable<TenantClass> {
    for (const owner of this.#active) {
      if (owner.queued > 0 || owner.running > 0) yield owner;
      else this.#deactivate(owner);
    }
  }

  /** A tenant that came once does not cost memory for ever; when it returns it starts level anyway. */
  #deactivate(owner: TenantClass): void {
    this.#active.delete(owner);
    const classes = this.#tenants.get(owner.tenant);
    const idle = classes?.every((c) => c.isDefault && c.queued === 0 && c.running === 0);
    if (idle) this.#tenants.delete(owner.tenant);
  }

  *tenantClasses(): Iterable<TenantClass> {
    for (const classes of this.#tenants.values()) yield* classes;
  }
}
