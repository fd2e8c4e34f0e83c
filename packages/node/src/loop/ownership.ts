import type { Answer, Command, Engine } from '@signalbox/engine';
import { type Store, StoreError } from '@signalbox/store';
import { asStoreError } from './committer.ts';
import type { Groups } from './groups.ts';
import type { Held, Leases } from './leases.ts';
import type { LoopPorts } from './ports.ts';
import { refused, refusedAll } from './refused.ts';
import type { ServerTime } from './server-time.ts';
import type { Specs } from './specs.ts';
import { readPartition } from './take-over.ts';
import { UnreadableJournal } from './unreadable-journal.ts';

interface OwnershipParams {
  readonly engine: Engine;
  readonly store: Store;
  readonly ports: LoopPorts;
  readonly groups: Groups;
  readonly specs: Specs;
  readonly time: ServerTime;
  readonly owner: string;
  leases(): Leases;
  deliver(command: Command): void;
  /** A group has lost decisions: what waits for it must not wait for more of them. */
  changed(): void;
  flushed(): Promise<void>;
  fail(error: unknown): void;
}

/** What it means for the engine to get a partition, to lose one, and to hand one over. */
export class Ownership {
  readonly #p: OwnershipParams;
  /** Partitions whose facts cannot be read, with the reason. */
  readonly stoppedPartitions = new Map<number, string>();
  #stopped = false;

  constructor(params: OwnershipParams) {
    this.#p = params;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** The lease is ours: read the partition in, then decide for it. */
  async takeOver(held: Held): Promise<void> {
    const { store, specs, ports, deliver, fail } = this.#p;
    const { partition, epoch } = held;
    const startedAt = ports.monotonicMs();
    try {
      const fenceSeq = held.nextSeq - 1;
      const read = await readPartition({ store, specs, partition, epoch, fenceSeq });
      const { book } = read;
      if (this.#stopped || !this.#isHeld(held)) return;
      held.phase = 'live';
      this.stoppedPartitions.delete(partition);
      this.#publish(partition, null);
      // A tail that nobody has checkpointed yet counts, whoever wrote it.
      held.factsSinceCheckpoint = read.tailFacts;
      held.bytesSinceCheckpoint = read.tailBytes;
      held.checkpointSeq = read.checkpointSeq;
      ports.observe?.({ kind: 'partitionRead', partition, runs: book.runs });
      deliver({ kind: 'takePartition', book });
      const ms = ports.monotonicMs() - startedAt;
      const live = book.runs.size;
      // Told when it is taken in and not before: whoever hears of it may ask what there is.
      void this.#p.flushed().then(() => {
        if (this.#isHeld(held)) ports.observe?.({ kind: 'takenOver', partition, live, ms });
      });
    } catch (error) {
      if (this.#isHeld(held)) this.#p.leases().held.delete(partition);
      if (error instanceof StoreError) this.#notRead(partition, error);
      else if (error instanceof UnreadableJournal) this.#unreadable(partition, error.message);
      else fail(error);
    }
  }

  /**
   * If the store went away half-way, the next beat takes the partition again. What the store refuses it
   * will refuse then too, so the tries get rarer.
   */
  #notRead(partition: number, { kind, message: error }: StoreError): void {
    if (this.#stopped) return;
    const isPassing = kind === 'unavailable';
    if (kind === 'damaged') return this.#stopPartition(partition, error);
    const retryMs = isPassing ? 0 : this.#p.leases().holdOff.failed(partition);
    this.#p.ports.observe?.({ kind: 'takeOverFailed', partition, error, retryMs });
  }

  /** The facts have their checksums, but do not fit together: no row of them is to blame alone. */
  #unreadable(partition: number, error: string): void {
    const place = { kind: 'group', key: `${partition}`, partition, tenant: null } as const;
    const row = { ...place, error, bytes: new Uint8Array(0) };
    void this.#p.store.setAside(row).catch(asStoreError);
    this.#stopPartition(partition, error);
  }

  /** Its facts cannot be read: it stops alone, and is tried again in case that it has been repaired. */
  #stopPartition(partition: number, error: string): void {
    if (this.#stopped) return;
    this.stoppedPartitions.set(partition, error);
    this.#publish(partition, error);
    const retryMs = this.#p.leases().holdOff.failed(partition);
    this.#p.ports.observe?.({ kind: 'takeOverFailed', partition, error, retryMs });
  }

  /** For the other nodes, which may have stopped it, or are asked about it. */
  #publish(partition: number, error: string | null): void {
    void this.#p.store.setStopped({ partition, error }).catch(asStoreError);
  }

  /** It is not ours any more. After a fence nothing of the commit was written; else nobody knows. */
  lose(partition: number, why: 'fenced' | 'lost'): void {
    if (!this.#p.leases().held.delete(partition)) return;
    this.#p.ports.observe?.({ kind: 'leaseLost', partition, why });
    this.#forget(partition, refused(why === 'fenced' ? 'not_owner' : 'unknown'));
  }

  /**
   * The store will not take what was decided in it. Repeating that without end would hold up every
   * partition of this node, so its decisions are dropped (nothing of them was written or told) and the
   * lease is released: the next owner, most likely this node again, reads what is durable.
   */
  giveUp(partition: number, error: StoreError): void {
    const held = this.#p.leases().held.get(partition);
    if (held === undefined) return;
    this.#p.leases().held.delete(partition);
    const retryMs = this.#p.leases().holdOff.failed(partition);
    this.#p.ports.observe?.({ kind: 'groupRefused', partition, error: error.message, retryMs });
    this.#p.ports.observe?.({ kind: 'leaseLost', partition, why: 'refused' });
    this.#forget(partition, refused('not_stored'));
    const { store, owner } = this.#p;
    void store.releaseLease({ partition, owner, epoch: held.epoch }).catch(asStoreError);
  }

  /** Another node should own it: no new commands; when nothing of it waits, it is let go. */
  handOver(partition: number): void {
    const held = this.#p.leases().held.get(partition);
    if (held === undefined || held.phase !== 'live') return;
    held.phase = 'leaving';
    void this.#p.flushed().then(() => this.leave(held));
  }

  async leave(held: Held): Promise<void> {
    if (this.#stopped || !this.#isHeld(held)) return;
    const { partition, epoch } = held;
    this.#p.leases().held.delete(partition);
    this.#forget(partition, refused('unknown'));
    this.#p.ports.observe?.({ kind: 'leaseLost', partition, why: 'released' });
    const { store, owner } = this.#p;
    await store.releaseLease({ partition, owner, epoch }).catch(asStoreError);
  }

  #isHeld(held: Held): boolean {
    return this.#p.leases().held.get(held.partition) === held;
  }

  #forget(partition: number, inFlightAnswer: Answer): void {
    const { engine, groups, ports, time } = this.#p;
    const dropped = groups.dropPartition(partition);
    engine.apply({ kind: 'leavePartition', partition }, time.now(), ports.random);
    groups.gather();
    for (const { answers, resolve } of dropped.inFlight) resolve(answers.map(() => inFlightAnswer));
    for (const { answers, resolve } of dropped.gathering) {
      resolve(refusedAll(answers, 'not_owner'));
    }
    this.#p.changed();
  }
}
