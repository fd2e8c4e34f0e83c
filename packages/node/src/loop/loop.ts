import type { Answer, Command, Engine } from '@signalbox/engine';
import { encodeCheckpoint } from '@signalbox/engine';
import type { Checkpoint, CommitPart, Store } from '@signalbox/store';
import { asStoreError, Committer } from './committer.ts';
import { Group, partitionAndSeq, type Reply } from './group.ts';
import { type Held, Leases } from './leases.ts';
import { Loader } from './loader.ts';
import { DEFAULT_LOOP_SETTINGS, type LoopPorts, type LoopSettings } from './ports.ts';
import { Pressure } from './pressure.ts';
import { refused } from './refused.ts';
import { ServerTime } from './server-time.ts';
import { Specs } from './specs.ts';
import { readPartition } from './take-over.ts';

interface Mail {
  readonly command: Command;
  /** Null for worker reports and the loop's own commands, which nobody waits for. */
  readonly resolve: ((answer: Answer) => void) | null;
  readonly partition: number | null;
  /** The inbox entry that this submission takes out. */
  readonly inboxEntry?: string;
}

export interface LoopParams {
  readonly engine: Engine;
  readonly store: Store;
  readonly ports: LoopPorts;
  readonly settings?: Partial<LoopSettings>;
  /** Unique for every start of a process: a lease is never inherited by name (oban-py #32). */
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
  readonly #store: Store;
  readonly #ports: LoopPorts;
  readonly #owner: string;
  readonly #onFatal: (error: unknown) => void;
  readonly #committer: Committer;
  readonly #loader: Loader;
  readonly #pressure: Pressure;
  #mailbox: Mail[] = [];
  #gathering = new Group(1);
  #inFlight: Group | null = null;
  #durable = 0;
  #waiters: { number: number; resolve: () => void }[] = [];
  #stepDeferred = false;
  #stopped = false;
  #cancelWake: () => void = () => {};
  #wakeAt = Number.POSITIVE_INFINITY;
  #lastBeatOkAt = 0;

  constructor(params: LoopParams) {
    this.engine = params.engine;
    this.#store = params.store;
    this.#ports = params.ports;
    this.#owner = params.node.name;
    this.#onFatal = params.onFatal;
    this.settings = { ...DEFAULT_LOOP_SETTINGS, ...params.settings };
    this.time = new ServerTime(() => params.ports.monotonicMs());
    this.specs = new Specs(params.store);
    this.#pressure = new Pressure(this.settings);
    this.#committer = new Committer(params.store, {
      owner: this.#owner,
      held: (partition) => this.leases.held.get(partition) ?? null,
      fenced: (partition) => this.#lose(partition, 'fenced'),
      keyTaken: (holder) => this.#keyTaken(holder),
      storeFailed: (error) => this.#storeFailed(error.message),
      commitUnknown: () => this.#ports.observe?.({ kind: 'commitUnknown' }),
      pause: () => this.#pause(),
      now: () => this.time.now(),
    });
    this.leases = new Leases({
      store: params.store,
      ports: params.ports,
      settings: this.settings,
      time: this.time,
      node: params.node,
      host: {
        acquired: (held) => void this.#takeOver(held),
        lost: (partition, why) => this.#lose(partition, why),
        handOver: (partition) => this.#handOver(partition),
        beatDone: (ok) => this.#beatDone(ok),
      },
    });
    this.#loader = new Loader({
      store: params.store,
      ports: params.ports,
      engine: params.engine,
      specs: this.specs,
      inboxPollMs: this.settings.inboxPollMs,
      livePartitions: () => this.#livePartitions(),
      deliver: (command, inboxEntry) => this.#deliver(command, inboxEntry),
      storeFailed: (error) => this.#storeFailed(error.message),
    });
    this.engine.take(1);
  }

  /** Resolves when the first beat has been answered; partitions follow as they are taken over. */
  async start(): Promise<void> {
    await this.leases.start();
    this.#loader.start();
  }

  /** Stops at once, as a crash would; what was not durable is gone. */
  halt(): void {
    this.#stopped = true;
    this.leases.stop();
    this.#loader.stop();
    this.#cancelWake();
    for (const group of [this.#inFlight, this.#gathering]) {
      for (const reply of group?.replies.splice(0) ?? []) reply.resolve(refused('unknown'));
    }
    for (const mail of this.#mailbox.splice(0)) mail.resolve?.(refused('unavailable'));
    for (const waiter of this.#waiters.splice(0)) waiter.resolve();
  }

  /** Lets go of everything in good order: what was decided becomes durable, the leases are free at once. */
  async stop(): Promise<void> {
    for (const partition of [...this.leases.held.keys()]) this.#handOver(partition);
    this.leases.stop();
    await this.flushed();
    for (const [partition, held] of [...this.leases.held]) await this.#leave(partition, held);
    this.halt();
    await this.#store.forgetNode(this.#owner).catch(asStoreError);
  }

  /** Decides a command; resolves with its answer when everything it decided is durable. */
  execute(command: Command, partition: number | null = partitionOf(command)): Promise<Answer> {
    if (this.#stopped || this.#pressure.away) return Promise.resolve(refused('unavailable'));
    if (this.#mailbox.length >= this.settings.mailboxMax)
      return Promise.resolve(refused('overloaded'));
    if (partition !== null && !this.owns(partition)) return Promise.resolve(refused('not_owner'));
    return new Promise((resolve) => this.#post({ command, resolve, partition }));
  }

  /** What workers say. Dropped when too much waits: a worker repeats what is not confirmed. */
  report(command: Command): void {
    if (this.#stopped) return;
    if (this.#mailbox.length >= this.settings.mailboxMax) {
      this.#ports.observe?.({ kind: 'reportDropped' });
      return;
    }
    this.#post({ command, resolve: null, partition: null });
  }

  /** True where this node holds the partition, has read it in, and may rely on its lease. */
  owns(partition: number): boolean {
    return this.leases.held.get(partition)?.phase === 'live' && this.leases.isTrusted(partition);
  }

  /** Resolves when everything decided so far is durable. */
  flushed(): Promise<void> {
    const number = this.#gathering.number;
    const idle = this.#gathering.isEmpty && this.#mailbox.length === 0;
    return this.durable(idle ? number - 1 : number);
  }

  /** Resolves when the group is durable: what a reader waits for before it is told of its facts. */
  durable(number: number): Promise<void> {
    if (number <= this.#durable || this.#stopped) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ number, resolve }));
  }

  /** The end of a run that memory has let go of but the store may not have yet. */
  endingGroup(partition: number, seq: number): number | null {
    for (const group of [this.#inFlight, this.#gathering]) {
      const facts = group?.facts.get(partition);
      const ended = facts?.some((fact) => fact.kind === 'runEnded' && fact.seq === seq);
      if (group !== null && ended === true) return group.number;
    }
    return null;
  }

  #post(mail: Mail): void {
    this.#mailbox.push(mail);
    this.#deferStep();
  }

  #deliver(command: Command, inboxEntry?: string): void {
    const partition = partitionOf(command);
    const mail = { command, resolve: null, partition };
    this.#post(inboxEntry === undefined ? mail : { ...mail, inboxEntry });
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
      this.#applyPressure(now);
      this.#readMail(now);
      if (now >= this.#wakeAt) this.engine.apply({ kind: 'tick' }, now, this.#ports.random);
      const more = this.#hasRoom() && this.engine.schedule(now, this.#ports.random);
      this.#gather();
      this.#flush();
      this.#armWake();
      this.#loader.look();
      if (more || (this.#mailbox.length > 0 && this.#inFlight === null)) this.#deferStep();
    } catch (error) {
      this.#fail(error);
    }
  }

  #readMail(now: number): void {
    let read = 0;
    while (read < this.#mailbox.length && this.#hasRoom()) {
      const mail = this.#mailbox[read++] as Mail;
      const answer = this.#applyMail(mail, now);
      if (mail.resolve === null) continue;
      this.#gathering.replies.push({ partition: mail.partition, answer, resolve: mail.resolve });
    }
    this.#mailbox = read === this.#mailbox.length ? [] : this.#mailbox.slice(read);
  }

  #applyMail(mail: Mail, now: number): Answer {
    const answer = this.engine.apply(mail.command, now, this.#ports.random);
    if (mail.inboxEntry !== undefined && mail.partition !== null && answer.kind !== 'refused') {
      const taken = this.#gathering.inboxTaken.get(mail.partition);
      if (taken === undefined) this.#gathering.inboxTaken.set(mail.partition, [mail.inboxEntry]);
      else taken.push(mail.inboxEntry);
    }
    return answer;
  }

  /** Memory is bounded: while too much waits to be durable, no further command is decided. */
  #hasRoom(): boolean {
    const waiting = this.#gathering.factCount + this.engine.core.facts.length;
    return waiting < this.settings.pendingFactsMax;
  }

  #gather(): void {
    const { facts, effects } = this.engine.take(this.#gathering.number);
    this.#gathering.add(facts);
    for (const effect of effects) this.#gathering.effects.push(effect);
  }

  #flush(): void {
    if (this.#inFlight !== null || this.#gathering.isEmpty) return;
    const group = this.#gathering;
    this.#gathering = new Group(group.number + 1);
    this.engine.take(this.#gathering.number);
    if (group.factCount === 0) return this.#release(group);
    this.#inFlight = group;
    const checkpoints = this.#dueCheckpoints(group);
    const startedAt = this.#ports.monotonicMs();
    this.#committer.commit(group).then(
      (parts) => this.#committed({ group, parts, startedAt, checkpoints }),
      (error) => this.#fail(error),
    );
  }

  #committed(params: {
    group: Group;
    parts: readonly CommitPart[];
    startedAt: number;
    checkpoints: readonly Checkpoint[];
  }): void {
    if (this.#stopped) return;
    const { group, parts } = params;
    const nowMs = this.#ports.monotonicMs();
    for (const part of parts) {
      const held = this.leases.held.get(part.partition);
      if (held?.epoch !== part.epoch) continue;
      held.nextSeq = part.seq + 1;
      held.factsSinceCheckpoint += part.factCount;
    }
    this.#ports.observe?.({
      kind: 'committed',
      facts: group.factCount,
      ms: nowMs - params.startedAt,
    });
    if (this.#pressure.committed(nowMs - params.startedAt, nowMs)) this.#storeBack();
    this.#inFlight = null;
    this.#release(group);
    // A submission that was struck while the commit was under way is still in the snapshot.
    if (!group.changed) for (const c of params.checkpoints) void this.#writeCheckpoint(c);
    this.#step();
  }

  /** Everything in the group is durable: now, and not before, the world may know. */
  #release(group: Group): void {
    this.#durable = group.number;
    for (const reply of group.replies) reply.resolve(reply.answer);
    const effects = group.effects.filter((effect) => {
      const ref = partitionAndSeq(effect);
      if (ref === null) return true;
      // A commit proves ownership; without one the lease must vouch for what is said.
      return group.factCount > 0
        ? this.leases.held.has(ref.partition)
        : this.leases.isTrusted(ref.partition);
    });
    if (effects.length > 0) this.#loader.release(effects);
    const due = this.#waiters.filter((waiter) => waiter.number <= group.number);
    if (due.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => waiter.number > group.number);
    for (const waiter of due) waiter.resolve();
  }

  async #takeOver(held: Held): Promise<void> {
    const { partition, epoch } = held;
    const startedAt = this.#ports.monotonicMs();
    try {
      const fenceSeq = held.nextSeq - 1;
      const { specs } = this;
      const book = await readPartition({ store: this.#store, specs, partition, epoch, fenceSeq });
      if (this.#stopped || this.leases.held.get(partition) !== held) return;
      held.phase = 'live';
      const live = book.runs.size;
      this.#deliver({ kind: 'takePartition', book });
      const ms = this.#ports.monotonicMs() - startedAt;
      this.#ports.observe?.({ kind: 'takenOver', partition, live, ms });
    } catch (error) {
      if (this.leases.held.get(partition) === held) this.leases.held.delete(partition);
      // The store went away half-way: the next beat takes the partition anew.
      try {
        asStoreError(error);
      } catch (fatal) {
        this.#fail(fatal);
      }
    }
  }

  #lose(partition: number, why: 'fenced' | 'lost' | 'untrusted'): void {
    if (!this.leases.held.delete(partition)) return;
    this.#ports.observe?.({ kind: 'leaseLost', partition, why });
    this.#forget(partition, why === 'fenced' ? 'not_owner' : 'unknown');
  }

  /** Drops everything about the partition. Whoever waited on its commit cannot know how it ended. */
  #forget(partition: number, inFlightCode: 'not_owner' | 'unknown'): void {
    this.#gather();
    const answers: [Reply[], Answer][] = [
      [this.#inFlight?.dropPartition(partition) ?? [], refused(inFlightCode)],
      [this.#gathering.dropPartition(partition), refused('not_owner')],
    ];
    this.engine.apply({ kind: 'leavePartition', partition }, this.time.now(), this.#ports.random);
    this.#gather();
    for (const [replies, answer] of answers) for (const reply of replies) reply.resolve(answer);
  }

  /** Another node should own it: no new commands; when nothing of it waits, it is let go. */
  #handOver(partition: number): void {
    const held = this.leases.held.get(partition);
    if (held === undefined || held.phase !== 'live') return;
    held.phase = 'leaving';
    void this.flushed().then(() => this.#leave(partition, held));
  }

  async #leave(partition: number, held: Held): Promise<void> {
    if (this.#stopped || this.leases.held.get(partition) !== held) return;
    this.leases.held.delete(partition);
    this.#forget(partition, 'unknown');
    this.#ports.observe?.({ kind: 'leaseLost', partition, why: 'released' });
    const { epoch } = held;
    await this.#store.releaseLease({ partition, owner: this.#owner, epoch }).catch(asStoreError);
  }

  #keyTaken(holder: {
    tenant: string;
    key: string;
    run: { partition: number; seq: number; ms: number };
  }): void {
    const found = this.#inFlight?.findSubmission(holder.tenant, holder.key);
    if (!found) return;
    this.#ports.observe?.({ kind: 'keyTaken' });
    this.#gather();
    const { partition, run, lane } = found;
    const now = this.time.now();
    this.engine.apply(
      { kind: 'withdraw', partition, submitted: run, lane },
      now,
      this.#ports.random,
    );
    this.#gather();
    for (const group of [this.#inFlight, this.#gathering]) {
      group?.strike(partition, run.seq);
      for (const reply of group?.replies ?? []) {
        const { answer } = reply;
        if (answer.kind !== 'accepted' && answer.kind !== 'duplicate') continue;
        if (answer.partition !== partition || answer.seq !== run.seq) continue;
        reply.answer = { kind: 'duplicate', ...holder.run };
      }
    }
  }

  #applyPressure(now: number): void {
    this.#pressure.untrusted = !this.leases.allTrusted;
    const pauseFrom = this.#pressure.pauseFrom(this.#ports.monotonicMs());
    if (pauseFrom === this.engine.core.pauseFrom) return;
    this.engine.apply({ kind: 'pauseFrom', class: pauseFrom }, now, this.#ports.random);
    this.#ports.observe?.({ kind: 'paused', fromClass: pauseFrom });
  }

  #storeFailed(error: string): void {
    if (this.#pressure.storeFailed()) this.#ports.observe?.({ kind: 'storeAway', error });
  }

  /** After an outage everybody gets a fresh term: nobody is reaped for what we could not hear. */
  #storeBack(): void {
    this.#ports.observe?.({ kind: 'storeBack' });
    this.#deliver({ kind: 'freshen' });
  }

  #beatDone(ok: boolean): void {
    const nowMs = this.#ports.monotonicMs();
    if (ok) {
      // This process stood still for a while; the silence of that time was its own.
      const late = this.#lastBeatOkAt > 0 && nowMs - this.#lastBeatOkAt > this.settings.beatMs * 3;
      this.#lastBeatOkAt = nowMs;
      if (late) this.#deliver({ kind: 'freshen' });
      // With nothing to commit, a beat that goes through is what tells that the store is back.
      if (this.#inFlight === null && this.#pressure.committed(0, nowMs)) this.#storeBack();
    } else this.#storeFailed('the lease could not be renewed');
    this.#deferStep();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#ports.after(this.settings.retryMs, () => {
        if (!this.#stopped) resolve();
      });
    });
  }

  #armWake(): void {
    const at = this.engine.nextWakeAt() ?? Number.POSITIVE_INFINITY;
    if (at === this.#wakeAt) return;
    this.#cancelWake();
    this.#wakeAt = at;
    if (at === Number.POSITIVE_INFINITY) return;
    // Timers are re-armed in bounded steps: past 2^31 ms they would fire at once.
    const wait = Math.min(Math.max(at - this.time.now(), 1), 3_600_000);
    this.#cancelWake = this.#ports.after(wait, () => {
      this.#wakeAt = Number.NEGATIVE_INFINITY;
      this.#step();
    });
  }

  #livePartitions(): number[] {
    return [...this.leases.held.values()].filter((h) => h.phase === 'live').map((h) => h.partition);
  }

  /** Taken when a group leaves for the store: just then memory is exactly the fold up to that group. */
  #dueCheckpoints(group: Group): Checkpoint[] {
    const due: Checkpoint[] = [];
    for (const partition of group.facts.keys()) {
      const held = this.leases.held.get(partition);
      const book = this.engine.core.books.get(partition);
      if (held === undefined || book === undefined) continue;
      const enough = Math.max(this.settings.checkpointFacts, book.runs.size * 2);
      if (held.factsSinceCheckpoint < enough) continue;
      held.factsSinceCheckpoint = 0;
      due.push({ partition, epoch: held.epoch, seq: held.nextSeq, chunks: encodeCheckpoint(book) });
    }
    return due;
  }

  async #writeCheckpoint(checkpoint: Checkpoint): Promise<void> {
    const held = this.leases.held.get(checkpoint.partition);
    // Without its group it would claim what was never written.
    if (held?.epoch !== checkpoint.epoch || held.nextSeq <= checkpoint.seq) return;
    try {
      if (!(await this.#store.writeCheckpoint(checkpoint))) return;
      const bytes = checkpoint.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      this.#ports.observe?.({ kind: 'checkpointed', partition: checkpoint.partition, bytes });
    } catch (error) {
      // The tail stays longer and the next one will do.
      asStoreError(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#stopped) return;
    this.halt();
    this.#onFatal(error);
  }
}

function partitionOf(command: Command): number | null {
  return 'partition' in command ? command.partition : null;
}
