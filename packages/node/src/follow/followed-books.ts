import { type Book, foldTail, planRebuild, rebuild, type TailGroup } from '@signalbox/engine';
import { type Checkpoint, type Store, StoreError } from '@signalbox/store';
import { type CommitLoop, readNeeded } from '../loop/index.ts';

/** How old an answer about another node's partition may be, beside the time that its reading takes. */
export const FOLLOW_MS = 500;
/** A partition that nobody asks about is forgotten. */
const KEPT_MS = 60_000;
/** Partitions with more live runs than this are kept for a moment only: they are another node's memory. */
const RUNS_KEPT = 50_000;
/** Long enough for a list or a waiting reader to ask again: reading a large one whole takes seconds. */
const LARGE_KEPT_MS = 5_000;
const GROUPS_PER_READ = 500;
const BYTES_PER_READ = 16_777_216;

/** A partition as its journal tells it: the fold of all groups up to `seq`. */
export interface Followed {
  readonly book: Book;
  readonly seq: number;
}

interface Entry {
  readonly followed: Promise<Followed>;
  readonly readAt: number;
}

/**
 * Partitions that other nodes own, folded from the journal by whoever is asked about them. Nothing is
 * decided on them: the engine of this node does not know them. Read once whole, then only what came
 * after; a partition that nobody asks about costs nothing.
 */
export class FollowedBooks {
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

  /** Not older than `maxAgeMs` when it is asked for. */
  follow(partition: number, maxAgeMs = FOLLOW_MS): Promise<Followed> {
    const now = this.#loop.time.monotonic();
    const entry = this.#entries.get(partition);
    // Whoever was suspended for long comes back to a journal whose groups may be gone, with none behind them.
    const known = entry !== undefined && now - entry.readAt <= KEPT_MS ? entry : undefined;
    if (known !== undefined && now - known.readAt <= maxAgeMs) return known.followed;
    const followed = this.#read(partition, known?.followed ?? null);
    this.#entries.set(partition, { followed, readAt: now });
    // What could not be read is read again by the next reader.
    const forget = (): void => {
      if (this.#entries.get(partition)?.followed === followed) this.#entries.delete(partition);
    };
    followed.then(({ book }) => {
      if (book.runs.size > this.#runsKept) setTimeout(forget, LARGE_KEPT_MS).unref();
    }, forget);
    this.#forgetLater();
    return followed;
  }

  async #read(partition: number, before: Promise<Followed> | null): Promise<Followed> {
    const known = await before?.catch(() => null);
    if (known != null) {
      const tail = await this.#tailAfter(partition, known.seq);
      if (tail !== null) return this.#goOn(known, partition, tail);
    }
    return this.#readWhole(partition);
  }

  async #goOn({ book, seq }: Followed, partition: number, tail: Tail): Promise<Followed> {
    if (tail.groups.length === 0) return { book, seq };
    const plan = planRebuild({ partition, chunks: [], tail: tail.groups });
    const { rows } = await readNeeded({ store: this.#store, specs: this.#loop.specs, plan });
    foldTail(book, plan, rows);
    return { book, seq: tail.seq };
  }

  async #readWhole(partition: number): Promise<Followed> {
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

  /** Null where groups in between have been dropped: a checkpoint is past them. */
  async #tailAfter(partition: number, seq: number): Promise<Tail | null> {
    const groups: TailGroup[] = [];
    for (let after = seq; ; ) {
      const page = await this.#store.readGroups({
        partition,
        afterSeq: after,
        limit: GROUPS_PER_READ,
        bytes: BYTES_PER_READ,
      });
      // Groups go by ranges of all partitions: a range in the middle may be gone while older ones are kept.
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

const followers = new WeakMap<CommitLoop, FollowedBooks>();

export function followedBooks(loop: CommitLoop, store: Store): FollowedBooks {
  let books = followers.get(loop);
  if (books === undefined) {
    books = new FollowedBooks(loop, store);
    followers.set(loop, books);
  }
  return books;
}
