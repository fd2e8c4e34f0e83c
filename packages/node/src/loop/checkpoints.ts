import { type Book, type Engine, encodeCheckpoint } from '@signalbox/engine';
import type { Checkpoint, Store } from '@signalbox/store';
import { asStoreError } from './committer.ts';
import type { Group } from './group.ts';
import type { Held, Leases } from './leases.ts';
import type { LoopPorts, LoopSettings } from './ports.ts';

/** After this long even a short tail is folded into a checkpoint. */
const TAIL_MS_MAX = 6 * 3_600_000;
/** Before one that could not be written is taken again: encoding it stops the loop each time. */
const RETRY_MS = 10_000;

/** What a partition's tail was when its last checkpoint was taken, until that is written. */
interface Tail {
  readonly held: Held;
  readonly seq: number;
  readonly facts: number;
  readonly bytes: number;
  /** What the checkpoint before took. */
  readonly lastBytes: number;
}

interface CheckpointsParams {
  readonly engine: Engine;
  readonly store: Store;
  readonly ports: LoopPorts;
  readonly settings: LoopSettings;
  leases(): Leases;
  /** Everything decided is durable. */
  isQuiet(): boolean;
}

/**
 * Writes checkpoints now and then, so that a take-over reads live work and not history. A partition
 * with little to do gets one after some hours: group segments are shared by all partitions and go
 * only when every checkpoint has passed them, so the first groups of an idle partition would keep
 * those of all others.
 */
export class Checkpoints {
  readonly #p: CheckpointsParams;
  /** Partitions whose tail has become old, to be taken at the next opportunity. */
  readonly #old = new Set<number>();
  /** What the last checkpoint of a partition took: one that is larger than the tail saves nothing. */
  readonly #bytes = new Map<number, number>();
  readonly #tails = new Map<number, Tail>();
  /** Times of the monotonic clock before which a partition is left alone, after a failed write. */
  readonly #notBefore = new Map<number, number>();
  #cancel: () => void = () => {};

  constructor(params: CheckpointsParams) {
    this.#p = params;
  }

  start(): void {
    this.#cancel = this.#p.ports.after(TAIL_MS_MAX, () => {
      this.start();
      for (const held of this.#p.leases().held.values()) {
        if (held.nextSeq - 1 > held.checkpointSeq) this.#old.add(held.partition);
      }
      void this.#takeQuietly();
    });
  }

  stop(): void {
    this.#cancel();
  }

  /** Taken when a group leaves for the store: just then memory is exactly the fold up to that group. */
  take(group: Group): Checkpoint[] {
    const due: Checkpoint[] = [];
    for (const partition of group.facts.keys()) {
      const { held, book } = this.#find(partition);
      if (held === undefined || book === undefined) continue;
      const size = book.runs.size + book.schedules.size;
      const { checkpointFacts, checkpointBytes } = this.#p.settings;
      const last = this.#bytes.get(partition) ?? 0;
      const isLong = held.factsSinceCheckpoint >= Math.max(checkpointFacts, size * 2);
      const isLarge = held.bytesSinceCheckpoint >= Math.max(checkpointBytes, last * 2);
      if ((!isLong && !isLarge) || this.#isTooSoon(partition)) continue;
      due.push(this.#encode(held, book, held.nextSeq));
    }
    // One at a time: encoding stops the loop for as long as it takes.
    const [old] = this.#old;
    if (old !== undefined && due.length === 0) {
      const checkpoint = this.#takeOld(old, group.facts.has(old));
      if (checkpoint !== null) due.push(checkpoint);
    }
    return due;
  }

  /** Where nothing is committed nothing leaves for the store. */
  async #takeQuietly(): Promise<void> {
    for (const partition of this.#old) {
      if (!this.#p.isQuiet()) return;
      const checkpoint = this.#takeOld(partition, false);
      if (checkpoint !== null) await this.write(checkpoint);
    }
  }

  #takeOld(partition: number, isLeaving: boolean): Checkpoint | null {
    this.#old.delete(partition);
    const { held, book } = this.#find(partition);
    if (held?.phase !== 'live' || book?.epoch !== held.epoch) return null;
    return this.#encode(held, book, isLeaving ? held.nextSeq : held.nextSeq - 1);
  }

  #encode(held: Held, book: Book, seq: number): Checkpoint {
    const { partition, epoch, factsSinceCheckpoint: facts, bytesSinceCheckpoint: bytes } = held;
    const chunks = encodeCheckpoint(book);
    const lastBytes = this.#bytes.get(partition) ?? 0;
    this.#tails.set(partition, { held, seq, facts, bytes, lastBytes });
    this.#bytes.set(partition, bytesOf(chunks));
    held.factsSinceCheckpoint = 0;
    held.bytesSinceCheckpoint = 0;
    return { partition, epoch, seq, chunks };
  }

  #isTooSoon(partition: number): boolean {
    const notBefore = this.#notBefore.get(partition);
    return notBefore !== undefined && this.#p.ports.monotonicMs() < notBefore;
  }

  /**
   * It was not written, so its tail still has to be read by a take-over: counted from zero, the next one
   * would come only when the tail is twice as long.
   */
  #discard({ partition, seq }: Checkpoint): void {
    const tail = this.#tails.get(partition);
    if (tail?.seq !== seq) return;
    this.#tails.delete(partition);
    this.#bytes.set(partition, tail.lastBytes);
    tail.held.factsSinceCheckpoint += tail.facts;
    tail.held.bytesSinceCheckpoint += tail.bytes;
  }

  #find(partition: number): { held: Held | undefined; book: Book | undefined } {
    const held = this.#p.leases().held.get(partition);
    return { held, book: this.#p.engine.core.books.get(partition) };
  }

  /** The group that they were taken with is durable. */
  committed(checkpoints: readonly Checkpoint[], group: Group): void {
    for (const checkpoint of checkpoints) {
      // A submission that was dropped while the commit was under way is still in the snapshot.
      if (group.changed) this.#discard(checkpoint);
      else void this.write(checkpoint);
    }
  }

  /** Only once its group is durable: it would otherwise claim what was never written. */
  async write(checkpoint: Checkpoint): Promise<void> {
    const { partition, epoch, seq, chunks } = checkpoint;
    const held = this.#p.leases().held.get(partition);
    if (held?.epoch !== epoch || held.nextSeq <= seq) return this.#discard(checkpoint);
    try {
      const isWritten = await this.#p.store.writeCheckpoint(checkpoint);
      if (this.#tails.get(partition)?.seq === seq) this.#tails.delete(partition);
      this.#notBefore.delete(partition);
      if (!isWritten) return;
      held.checkpointSeq = Math.max(held.checkpointSeq, seq);
      this.#p.ports.observe?.({ kind: 'checkpointed', partition, bytes: bytesOf(chunks) });
    } catch (error) {
      asStoreError(error);
      this.#discard(checkpoint);
      this.#notBefore.set(partition, this.#p.ports.monotonicMs() + RETRY_MS);
    }
  }
}

function bytesOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}
