import { type Book, foldTail, planRebuild, rebuild, type TailGroup } from '@signalbox/engine';
import { type Checkpoint, type Store, StoreError } from '@signalbox/store';
import { type CommitLoop, readNeeded } from '../loop/index.ts';

/** Maximum age of a replica, not counting the time to read it. */
export const REPLICA_AGE_MS = 500;
/** An unused replica is dropped after this time. */
const KEPT_MS = 60_000;
/** Larger replicas are kept only briefly, to bound memory. */
const RUNS_KEPT = 50_000;
/** Long enough for the next page of a list: reading a large partition takes seconds. */
const LARGE_KEPT_MS = 5_000;
const GROUPS_PER_READ = 500;
const BYTES_PER_READ = 16_777_216;

/** The fold of all groups of a partition up to `seq`. */
export interface Replica {
  readonly book: Book;
  readonly seq: number;
}

interface Entry {
  readonly replica: Promise<Replica>;
  readonly readAt: number;
}

/**
 * Read replicas of partitions that other nodes own, folded from the journal. Nothing is decided on them: the engine
 * of this node does not know them. A replica is read as a whole once, then incrementally; an unused one costs nothing.
 */
export class PartitionReplicas {
  readonly #loop: CommitLoop;
  readonly #store: Store;
  readonly #runsKept: number;
  readonly #entries = new Map<number, Entry>();
  #forgetting: NodeJS.Timeout | null = null;

  constructor(loop: CommitLoop, store: Store, runsKept = RUNS_KEPT) {
    this.#loop = loop;
    this.#store = store;
    this.#runsKept = runsKept;
  }

  /** Returns a replica that is at most `maxAgeMs` old at the time of the call. */
  read(partition: number, maxAgeMs = REPLICA_AGE_MS): Promise<Replica> {
    const now = this.#loop.time.monotonic();
    const entry = this.#entries.get(partition);
    // After a long suspension of the process the journal may lack the groups that follow the replica.
    const known = entry !== undefined && now - entry.readAt <= KEPT_MS ? entry : undefined;
    if (known !== undefined && now - known.readAt <= maxAgeMs) return known.replica;
    const replica = this.#read(partition, known?.replica ?? null);
    this.#entries.set(partition, { replica, readAt: now });
    // After a failure the next reader reads again.
    const forget = (): void => {
      if (this.#entries.get(partition)?.replica === replica) this.#entries.delete(partition);
    };
    replica.then(({ book }) => {
      if (book.runs.size > this.#runsKept) setTimeout(forget, LARGE_KEPT_MS).unref();
    }, forget);
    this.#forgetLater();
    return replica;
  }

  async #read(partition: number, before: Promise<Replica> | null): Promise<Replica> {
    const known = await before?.catch(() => null);
    if (known != null) {
      const tail = await this.#tailAfter(partition, known.seq);
      if (tail !== null) return this.#continue(known, partition, tail);
    }
    return this.#readWhole(partition);
  }

  async #continue({ book, seq }: Replica, partition: number, tail: Tail): Promise<Replica> {
    if (tail.groups.length === 0) return { book, seq };
    const plan = planRebuild({ partition, chunks: [], tail: tail.groups });
    const { rows } = await readNeeded({ store: this.#store, specs: this.#loop.specs, plan });
    foldTail(book, plan, rows);
    return { book, seq: tail.seq };
  }

  async #readWhole(partition: number): Promise<Replica> {
    const { checkpoint, tail } = await this.#readFromCheckpoint(partition);
    const chunks = checkpoint?.chunks ?? [];
    const plan = planRebuild({ partition, chunks, tail: tail.groups });
    const { rows, find } = await readNeeded({ store: this.#store, specs: this.#loop.specs, plan });
    const epoch = tail.groups.at(-1)?.epoch ?? checkpoint?.epoch ?? 0;
    return { book: rebuild(plan, { epoch, rows, findSpec: find }), seq: tail.seq };
  }

  /**
   * While a slow reader reads, its owner may write further checkpoints and drop the groups before them: then
   * the newest checkpoint is read again. Groups behind the same checkpoint do not go.
   */
  async #readFromCheckpoint(
    partition: number,
  ): Promise<{ checkpoint: Checkpoint | null; tail: Tail }> {
    let checkpoint = await this.#store.readCheckpoint(partition);
    for (;;) {
      const tail = await this.#tailAfter(partition, checkpoint?.seq ?? 0);
      if (tail !== null) return { checkpoint, tail };
      const newer = await this.#store.readCheckpoint(partition);
      if ((newer?.seq ?? 0) <= (checkpoint?.seq ?? 0)) {
        throw new StoreError('damaged', `groups of partition ${partition} are missing`);
      }
      checkpoint = newer;
    }
  }

  /** Null if groups in between were deleted, because a newer checkpoint replaces them. */
  async #tailAfter(partition: number, seq: number): Promise<Tail | null> {
    const groups: TailGroup[] = [];
    for (let after = seq; ; ) {
      const page = await this.#store.readGroups({
        partition,
        afterSeq: after,
        limit: GROUPS_PER_READ,
        bytes: BYTES_PER_READ,
      });
      // Groups are deleted by ranges over all partitions: a range may be missing while older groups remain.
      if (page.some((group, i) => group.seq !== after + 1 + i)) return null;
      groups.push(...page);
      after = page.at(-1)?.seq ?? after;
      const bytes = page.reduce((sum, { body }) => sum + body.length, 0);
      if (page.length < GROUPS_PER_READ && bytes < BYTES_PER_READ) return { groups, seq: after };
    }
  }

  #forgetLater(): void {
    if (this.#forgetting !== null) return;
    this.#forgetting = setTimeout(() => {
      this.#forgetting = null;
      const before = this.#loop.time.monotonic() - KEPT_MS;
      for (const [partition, { readAt }] of this.#entries) {
        if (readAt < before) this.#entries.delete(partition);
      }
      if (this.#entries.size > 0) this.#forgetLater();
    }, KEPT_MS).unref();
  }
}

interface Tail {
  readonly groups: readonly TailGroup[];
  readonly seq: number;
}

const byLoop = new WeakMap<CommitLoop, PartitionReplicas>();

export function replicasOf(loop: CommitLoop, store: Store): PartitionReplicas {
  let replicas = byLoop.get(loop);
  if (replicas === undefined) {
    replicas = new PartitionReplicas(loop, store);
    byLoop.set(loop, replicas);
  }
  return replicas;
}
