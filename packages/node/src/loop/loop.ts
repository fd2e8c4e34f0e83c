import type { Answer, Command, Engine } from '@signalbox/engine';
import type { Checkpoint, CommitPart, Store, StoreError } from '@signalbox/store';
import { Checkpoints } from './checkpoints.ts';
import { asStoreError, Committer } from './committer.ts';
import { Company } from './company.ts';
import { Decider } from './decider.ts';
import { DurableMark } from './durable-mark.ts';
import type { Group } from './group.ts';
import { Groups } from './groups.ts';
import { Inbox, type Taken } from './inbox.ts';
import { Leases } from './leases.ts';
import { Loader } from './loader.ts';
import { type Mail, Mailbox } from './mailbox.ts';
import { Ownership } from './ownership.ts';
import { DEFAULT_LOOP_SETTINGS, type LoopPorts, type LoopSettings } from './ports.ts';
import { type Refused, refused, refusedAll } from './refused.ts';
import { ScheduleWatch } from './schedule-watch.ts';
import { SegmentsAhead } from './segments-ahead.ts';
import { ServerTime } from './server-time.ts';
import { shedInputs } from './shed-inputs.ts';
import { inOrder, partitionOf, type Slice, slicesOf } from './slices.ts';
import { Specs } from './specs.ts';
import { StoreHealth } from './store-health.ts';
import { isVouched, truthful } from './vouched.ts';
import { WakeTimer } from './wake-timer.ts';

export interface LoopParams {
  readonly engine: Engine;
  readonly store: Store;
  readonly ports: LoopPorts;
  readonly settings?: Partial<LoopSettings>;
  /** Unique for every start of a process: a lease is never inherited by name. */
  readonly node: { readonly name: string; readonly address: string };
  /** The engine or the store is broken beyond retrying: stop this node. */
  readonly onFatal: (error: unknown) => void;
}

/**
 * The one place where engine, store and effects meet. Commands are decided in memory as they come;
 * what they decided is appended in one transaction; only then does anybody hear of it. While one
 * commit is under way the next group gathers.
 */
export class CommitLoop {
  readonly specs: Specs;
  readonly time: ServerTime;
  readonly engine: Engine;
  readonly leases: Leases;
  readonly settings: LoopSettings;
  readonly schedules: ScheduleWatch;
  readonly #store: Store;
  readonly #ports: LoopPorts;
  readonly #owner: string;
  readonly #onFatal: (error: unknown) => void;
  readonly #committer: Committer;
  readonly #loader: Loader;
  readonly #inbox: Inbox;
  readonly #health: StoreHealth;
  readonly #groups: Groups;
  readonly #decider: Decider;
  readonly #ownership: Ownership;
  readonly #checkpoints: Checkpoints;
  readonly #segments: SegmentsAhead;
  readonly #mailbox = new Mailbox();
  readonly #durable = new DurableMark();
  readonly #wake: WakeTimer;
  readonly #company: Company;
  #stepDeferred = false;
  /** Mail that must be read before the deadline that has come is acted upon. */
  #dueMark: number | null = null;
  #stopped = false;

  constructor(params: LoopParams) {
    this.engine = params.engine;
    this.#store = params.store;
    this.#ports = params.ports;
    this.#owner = params.node.name;
    this.#onFatal = params.onFatal;
    this.settings = { ...DEFAULT_LOOP_SETTINGS, ...params.settings };
    this.time = new ServerTime(() => params.ports.monotonicMs());
    this.specs = new Specs(params.store);
    this.#wake = new WakeTimer(params.ports, () => this.#step());
    this.#company = new Company(params.ports, () => this.#step());
    const { engine, store, ports } = params;
    const { settings, specs, time } = this;
    const { partitions } = settings;
    const post = { partitions, random: ports.random, now: () => time.now() };
    this.#groups = new Groups(engine, ports, post);
    const leases = () => this.leases;
    const mailbox = this.#mailbox;
    this.#decider = new Decider({ engine, ports, leases, mailbox, groups: this.#groups });
    const common = { engine, store, ports, settings, specs, time, leases };
    const deliver = (command: Command): void => this.#deliver([command]);
    const storeFailed = (error: StoreError): void => {
      // One row that cannot be read says nothing of the store: the others can be.
      if (error.kind !== 'damaged') this.#health.failed(error.message);
    };
    this.#health = new StoreHealth({
      ...common,
      freshen: () => deliver({ kind: 'freshen' }),
      isCommitting: () => this.#groups.inFlight !== null,
    });
    this.#segments = new SegmentsAhead(store, ports, time);
    const isQuiet = () => this.#groups.inFlight === null && this.#groups.gathering.isEmpty;
    this.#checkpoints = new Checkpoints({ ...common, isQuiet });
    this.#ownership = new Ownership({
      ...common,
      groups: this.#groups,
      owner: this.#owner,
      deliver,
      changed: () => this.#deferStep(),
      flushed: () => this.flushed(),
      fail: (error) => this.#fail(error),
    });
    this.#committer = new Committer(store, {
      owner: this.#owner,
      held: (partition) => this.leases.held.get(partition) ?? null,
      fenced: (partition) => this.#ownership.lose(partition, 'fenced'),
      refused: (partition, error) => this.#ownership.giveUp(partition, error),
      triesMax: settings.commitTriesMax,
      keysTaken: (refusal) => this.#decider.keysTaken(refusal, time.now()),
      storeFailed,
      commitUnknown: () => ports.observe?.({ kind: 'commitUnknown' }),
      pause: () => this.#pause(),
      now: () => time.now(),
    });
    this.schedules = new ScheduleWatch({
      ...common,
      partitions: settings.partitions,
      pollMs: settings.schedulePollMs,
      isAlone: () => this.leases.isAlone,
      executeAll: (commands) => this.executeAll(commands),
      deliver,
      storeFailed,
    });
    this.leases = new Leases({
      ...common,
      node: params.node,
      host: {
        acquired: (held) => void this.#ownership.takeOver(held),
        lost: (partition) => this.#ownership.lose(partition, 'lost'),
        handOver: (partition) => this.#ownership.handOver(partition),
        beatDone: (ok) => this.#beatDone(ok),
      },
    });
    this.#loader = new Loader({
      ...common,
      decidedIsDurable: () => this.durable(this.#groups.newest),
      deliver: (command) => this.#deliver([command]),
      storeFailed,
    });
    this.#inbox = new Inbox({
      ...common,
      pollMs: settings.inboxPollMs,
      livePartitions: () => this.leases.livePartitions,
      isAlone: () => this.leases.isAlone,
      deliver: (commands, taken) => this.#deliver(commands, taken),
      storeFailed,
    });
  }

  /** Resolves when the first beat has been answered; partitions follow as they are taken over. */
  async start(): Promise<void> {
    await this.leases.start();
    this.#inbox.start();
    this.schedules.start();
    void this.#segments.start();
    this.#checkpoints.start();
  }

  /** Stops at once, as a crash would; what was not durable is gone. */
  halt(): void {
    this.#stopped = true;
    this.leases.stop();
    this.#ownership.stop();
    this.#segments.stop();
    this.#checkpoints.stop();
    this.#loader.stop();
    this.#inbox.stop();
    this.schedules.stop();
    this.#wake.stop();
    this.#company.stop();
    for (const group of [this.#groups.inFlight, this.#groups.gathering]) {
      for (const reply of group?.takeReplies(() => true) ?? []) {
        reply.resolve(refusedAll(reply.answers, 'unknown'));
      }
    }
    for (const { commands, resolve } of this.#mailbox.clear()) {
      resolve?.(refusedAll(commands, 'unavailable'));
    }
    this.#durable.releaseAll();
  }

  /** Lets go of everything in good order: what was decided becomes durable, the leases are free at once. */
  async stop(): Promise<void> {
    for (const partition of [...this.leases.held.keys()]) this.#ownership.handOver(partition);
    this.leases.stop();
    await this.flushed();
    for (const held of [...this.leases.held.values()]) await this.#ownership.leave(held);
    this.halt();
    await this.#store.forgetNode(this.#owner).catch(asStoreError);
  }

  /** Decides a command; resolves with its answer when everything it decided is durable. */
  execute(command: Command, partition: number | null = partitionOf(command)): Promise<Answer> {
    const refusal = this.#refusal(partition);
    if (refusal !== null) return Promise.resolve(refusal);
    return new Promise((resolve) => {
      const first = ([answer]: readonly Answer[]): void => resolve(answer as Answer);
      this.#post({ commands: [command], resolve: first, partition });
    });
  }

  /**
   * Many commands at once, answered together and in order. Those of one partition are decided in
   * one step, so that they become durable together or not at all.
   */
  async executeAll(commands: readonly Command[]): Promise<readonly Answer[]> {
    const slices = slicesOf(commands);
    const refusals = slices.map(({ partition }) => this.#refusal(partition));
    // Before any of it is posted: what is refused as busy may be sent again, so none of it may exist.
    const busy = refusals.find((refusal) => refusal !== null && refusal.code !== 'not_owner');
    if (busy) return commands.map(() => busy);
    const answered = await Promise.all(
      slices.map((slice, s) => this.#executeSlice(slice, refusals[s] ?? null)),
    );
    return inOrder(slices, answered);
  }

  #executeSlice(
    { commands, partition }: Slice,
    refusal: Answer | null,
  ): Promise<readonly Answer[]> {
    if (refusal !== null) return Promise.resolve(commands.map(() => refusal));
    return new Promise((resolve) => this.#post({ commands, resolve, partition }));
  }

  #refusal(partition: number | null): Refused | null {
    if (this.#stopped || this.#health.isAway) return refused('unavailable');
    if (this.#isMailboxFull()) return refused('overloaded');
    if (partition !== null && !this.owns(partition)) return refused('not_owner');
    return null;
  }

  /** From now on ends of these tenants' runs are told to the port `follow`. */
  follow(tenants: ReadonlySet<string>): void {
    this.engine.apply({ kind: 'follow', tenants }, this.engine.core.now, this.#ports.random);
  }

  /** Something was put into the inbox of a partition that is ours: it need not wait for the next look. */
  lookIntoInbox(): void {
    this.#inbox.hurry();
  }

  /**
   * What workers say. Dropped when too much waits, which it answers with false: a worker repeats what is
   * not confirmed. A heartbeat is never dropped: a node under load would take its workers for dead.
   */
  report(said: Command | readonly Command[]): boolean {
    if (this.#stopped) return false;
    const commands = Array.isArray(said) ? (said as readonly Command[]) : [said as Command];
    if (this.#isMailboxFull()) {
      return commands.map((command) => this.#reportWhenFull(command)).every((isTaken) => isTaken);
    }
    this.#post({ commands, resolve: null, partition: null });
    return true;
  }

  /** A beat without progress decides nothing, so it need not come after what waits. */
  #reportWhenFull(command: Command): boolean {
    if (command.kind === 'beat') {
      this.engine.apply({ ...command, progress: [] }, this.time.now(), this.#ports.random);
      return true;
    }
    this.#ports.observe?.({ kind: 'reportDropped' });
    return false;
  }

  /** Commands that wait to be decided; beyond `mailboxMax` they are refused. */
  get waiting(): number {
    return this.#mailbox.size;
  }

  /** The same in bytes of their payloads, up to `mailboxBytesMax`. */
  get waitingBytes(): number {
    return this.#mailbox.bytes;
  }

  #isMailboxFull(): boolean {
    const { mailboxMax, mailboxBytesMax } = this.settings;
    return this.#mailbox.size >= mailboxMax || this.#mailbox.bytes >= mailboxBytesMax;
  }

  /** True where this node holds the partition, has read it in, and may rely on its lease. */
  owns(partition: number): boolean {
    return this.leases.held.get(partition)?.phase === 'live' && this.leases.isTrusted(partition);
  }

  /** Partitions that stand still on this node because their facts cannot be read, with the reason. */
  get stoppedPartitions(): ReadonlyMap<number, string> {
    return this.#ownership.stoppedPartitions;
  }

  /** Owned, and what was read of it has been taken in: memory can tell what there is of it. */
  hasRead(partition: number): boolean {
    const epoch = this.engine.core.books.get(partition)?.epoch;
    return this.owns(partition) && this.leases.held.get(partition)?.epoch === epoch;
  }

  /** Resolves when everything said so far has been decided and is durable. */
  flushed(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    // Goes the way of all mail, so that it comes after what is already there.
    return new Promise((resolve) => {
      this.#post({ commands: [], resolve: () => resolve(), partition: null });
    });
  }

  /** Resolves when the group is durable: what a reader waits for before it is told of its facts. */
  durable(number: number): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    const reached = this.#durable.reached(number);
    if (this.#durable.isAwaited) this.#deferStep();
    return reached;
  }

  /** The end of a run that memory has let go of but the store may not have yet. */
  endingGroup(partition: number, seq: number): number | null {
    return this.#groups.endingOf(partition, seq);
  }

  #post(mail: Mail): void {
    this.#mailbox.post(mail);
    this.#deferStep();
  }

  #deliver(commands: readonly [Command, ...Command[]], taken?: Taken): void {
    const partition = partitionOf(commands[0]);
    if (taken === undefined) return this.#post({ commands, resolve: null, partition });
    this.#post({ commands, resolve: taken.settled, partition, inboxEntry: taken.entry });
  }

  #deferStep(): void {
    if (this.#stepDeferred || this.#stopped) return;
    this.#stepDeferred = true;
    this.#ports.defer(() => {
      this.#stepDeferred = false;
      this.#step();
    });
  }

  #step(): void {
    if (this.#stopped) return;
    try {
      const now = this.time.now();
      this.#health.pauseClasses(now, this.leases.allTrusted);
      this.#readMail(now);
      this.#tickIfHeard(now);
      const more = this.#hasRoom() && this.engine.schedule(now, this.#ports.random);
      this.#groups.gather();
      this.#flush();
      if (this.#dueMark === null) this.#wake.arm(this.engine.nextWakeAt(), this.time.now());
      this.#loader.look();
      this.schedules.readJobs();
      const canRead = this.#groups.inFlight === null || this.#hasRoom();
      if (more || (!this.#mailbox.isEmpty && canRead)) this.#deferStep();
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Nobody is judged by silence before everything that was said by then has been heard: while a
   * full buffer keeps mail waiting, deadlines wait for it, or an outage would reap the fleet. Only
   * for that mail, not for what keeps coming: overload must not stop the clock.
   */
  #tickIfHeard(now: number): void {
    if (!this.#wake.isDue(now)) return;
    this.#dueMark ??= this.#mailbox.posted;
    if (!this.#mailbox.hasRead(this.#dueMark)) return;
    this.#dueMark = null;
    this.engine.apply({ kind: 'tick' }, now, this.#ports.random);
  }

  #readMail(now: number): void {
    const { turnFactsMax, idleTurnFactsMax } = this.settings;
    const isIdle = this.#groups.inFlight === null && this.#store.blocks !== true;
    const upTo = this.#groups.waitingFacts + (isIdle ? idleTurnFactsMax : turnFactsMax);
    this.#decider.read(now, () => this.#hasRoom() && this.#groups.waitingFacts < upTo);
  }

  /** Memory is bounded: while too much waits to be durable, no further command is decided. */
  #hasRoom(): boolean {
    const { pendingFactsMax, groupBytesMax } = this.settings;
    const { waitingFacts, waitingBytes } = this.#groups;
    return waitingFacts < pendingFactsMax && waitingBytes < groupBytesMax;
  }

  #flush(): void {
    const groups = this.#groups;
    if (this.#stopped || groups.inFlight !== null) return;
    // Its decisions may have left with a partition that was lost, while a reader or mail waits for it. Their
    // bytes still count: kept open, a group that was full of them would let no mail be read any more.
    const isAwaited = this.#durable.isAwaited || this.#mailbox.deferredTo !== null;
    if (groups.gathering.isEmpty && !isAwaited && this.#hasRoom()) return;
    // A group that is full gains nobody by waiting: what is read next has to wait for it.
    const mayWait = !isAwaited && this.#hasRoom();
    if (mayWait && this.#company.isWorthWaiting(groups.gathering)) return;
    const group = groups.close();
    this.#company.left(group);
    if (!group.hasWrites) return this.#release(group, []);
    groups.inFlight = group;
    const checkpoints = this.#checkpoints.take(group);
    const startedAt = this.#ports.monotonicMs();
    this.#committer
      .commit(group)
      .then((parts) => this.#committed({ group, parts, startedAt, checkpoints }))
      .catch((error) => this.#fail(error));
  }

  #committed(params: {
    group: Group;
    parts: readonly CommitPart[];
    startedAt: number;
    checkpoints: readonly Checkpoint[];
  }): void {
    if (this.#stopped) return;
    const { group, parts } = params;
    for (const part of parts) {
      const held = this.leases.held.get(part.partition);
      if (held?.epoch !== part.epoch) continue;
      held.nextSeq = part.seq + 1;
      held.factsSinceCheckpoint += part.factCount;
      held.bytesSinceCheckpoint += part.body.length;
    }
    const ms = this.#ports.monotonicMs() - params.startedAt;
    this.#ports.observe?.({ kind: 'committed', facts: group.factCount, ms });
    this.#health.committed(ms);
    this.#groups.inFlight = null;
    if (group.owed.size > 0) this.#inbox.hurry();
    // The store begins with what has gathered before the world is told of what it has done: both take
    // about as long, and one would wait for the other. Without writes it would be released too early.
    try {
      if (this.#store.blocks !== true && this.#groups.gathering.hasWrites) this.#flush();
    } finally {
      // It is durable, whatever becomes of the next.
      this.#release(group, parts);
    }
    this.#checkpoints.committed(params.checkpoints, group);
    this.#step();
  }

  /** I1: effects and responses of a group are released only once it is durable. */
  #release(group: Group, parts: readonly CommitPart[]): void {
    this.#durable.set(group.number);
    this.engine.confirm(group.number);
    this.#mailbox.release(group.number);
    const effects = group.effects.filter((effect) => isVouched(effect, group, this.leases));
    // Workers first: whoever waits for work waits longest.
    if (effects.length > 0) this.#loader.release(effects);
    for (const reply of group.replies)
      reply.resolve(truthful(reply, group, (partition) => this.owns(partition)));
    // Not by the lease: it may be lost by now, or be another one that begins at another group.
    for (const { partition, seq } of parts) {
      const facts = group.facts.get(partition);
      if (facts === undefined) continue;
      shedInputs(this.engine, partition, facts);
      this.#ports.published?.(partition, facts, seq);
    }
    this.#durable.wake();
  }

  #beatDone(ok: boolean): void {
    this.#health.beatDone(ok);
    this.#deferStep();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#ports.after(this.settings.retryMs, () => {
        if (!this.#stopped) resolve();
      });
    });
  }

  #fail(error: unknown): void {
    if (this.#stopped) return;
    this.halt();
    this.#onFatal(error);
  }
}
