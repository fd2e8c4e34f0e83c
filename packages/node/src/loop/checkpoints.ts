import { type Engine, encodeCheckpoint } from '@signalbox/engine';
import type { Checkpoint, Store } from '@signalbox/store';
import { asStoreError } from './committer.ts';
import type { Group } from './group.ts';
import type { Leases } from './leases.ts';
import type { LoopPorts, LoopSettings } from './ports.ts';

/** Writes checkpoints now and then, so that a take-over reads live work and not history. */
export class Checkpoints {
  readonly #p: {
    readonly engine: Engine;
    readonly store: Store;
    readonly ports: LoopPorts;
    readonly settings: LoopSettings;
    leases(): Leases;
  };

  /** What the last checkpoint of a partition took: one that is larger than the tail saves nothing. */
  readonly #bytes = new Map<number, number>();

  constructor(params: {
    engine: Engine;
    store: Store;
    ports: LoopPorts;
    settings: LoopSettings;
    leases(): Leases;
  }) {
    this.#p = params;
  }

  /** Taken when a group leaves for the store: just then memory is exactly the fold up to that group. */
  take(group: Group): Checkpoint[] {
    const due: Checkpoint[] = [];
    for (const partition of group.facts.keys()) {
      const held = this.#p.leases().held.get(partition);
      const book = this.#p.engine.core.books.get(partition);
      if (held === undefined || book === undefined) continue;
      const size = book.runs.size + book.schedules.size;
      const { checkpointFacts, checkpointBytes } = this.#p.settings;
      const last = this.#bytes.get(partition) ?? 0;
      const isLong = held.factsSinceCheckpoint >= Math.max(checkpointFacts, size * 2);
      const isLarge = held.bytesSinceCheckpoint >= Math.max(checkpointBytes, last * 2);
      if (!isLong && !isLarge) continue;
      held.factsSinceCheckpoint = 0;
      held.bytesSinceCheckpoint = 0;
      const chunks = encodeCheckpoint(book);
      this.#bytes.set(partition, bytesOf(chunks));
      due.push({ partition, epoch: held.epoch, seq: held.nextSeq, chunks });
    }
    return due;
  }

  /** Only once its group is durable: it would otherwise claim what was never written. */
  async write(checkpoint: Checkpoint): Promise<void> {
    const { partition, epoch, seq, chunks } = checkpoint;
    const held = this.#p.leases().held.get(partition);
    if (held?.epoch !== epoch || held.nextSeq <= seq) return;
    try {
      if (!(await this.#p.store.writeCheckpoint(checkpoint))) return;
      this.#p.ports.observe?.({ kind: 'checkpointed', partition, bytes: bytesOf(chunks) });
    } catch (error) {
      // The tail stays longer and the next one will do.
      asStoreError(error);
    }
  }
}

function bytesOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}
