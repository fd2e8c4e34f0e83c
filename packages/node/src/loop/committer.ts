import { encodeGroup, type Fact } from '@signalbox/engine';
import {
  type AppendResult,
  type Commit,
  type CommitPart,
  type HeldKey,
  type InboxEntry,
  type Store,
  StoreError,
} from '@signalbox/store';
import type { Group } from './group.ts';

/** What the committer asks of the loop while a commit is under way. */
export interface CommitHost {
  readonly owner: string;
  /** Epoch and next seq of a partition that this node still holds, or null. */
  held(partition: number): { epoch: number; nextSeq: number } | null;
  /** The store knows a newer owner. */
  fenced(partition: number): void;
  /** Others have the keys: the submissions that ask for them leave the group. */
  keysTaken(refusal: AppendResult & { kind: 'keyTaken' }): void;
  storeFailed(error: StoreError): void;
  commitUnknown(): void;
  /** Waits before the next try; never ends once the loop has stopped. */
  pause(): Promise<void>;
  now(): number;
}

/**
 * Makes a group durable, whatever it takes: retries while the store is away, reads back when an
 * answer was lost, and lets go of what the store will not have. Returns when everything that is
 * left in the group is durable.
 */
export class Committer {
  readonly #store: Store;
  readonly #host: CommitHost;
  #commits = 0;

  constructor(store: Store, host: CommitHost) {
    this.#store = store;
    this.#host = host;
  }

  /** Answers the parts as they were written. */
  async commit(group: Group): Promise<readonly CommitPart[]> {
    for (;;) {
      const commit = this.#encode(group);
      if (commit.parts.length === 0) return [];
      if (await this.#append(commit)) return commit.parts;
    }
  }

  #encode(group: Group): Commit {
    const parts: CommitPart[] = [];
    const at = this.#host.now();
    for (const partition of group.partitions()) {
      const facts = group.facts.get(partition) ?? NO_FACTS;
      const held = this.#host.held(partition);
      if (held === null) continue;
      const { body, factCount, runs, ends, parked } = encodeGroup({ partition, at, facts });
      const inboxTaken = group.inboxTaken.get(partition) ?? NONE;
      const aliases = group.aliases.get(partition) ?? NO_ALIASES;
      const { epoch, nextSeq: seq } = held;
      const owed = group.owed.get(partition);
      const part = {
        partition,
        epoch,
        seq,
        atMs: at,
        body,
        factCount,
        runs,
        ends,
        parked,
        inboxTaken,
        aliases,
      };
      const inboxPut = owed === undefined ? NONE_PUT : owed.flatMap(({ entries }) => entries);
      const claims = group.claims.get(partition);
      parts.push({
        ...part,
        ...(inboxPut.length === 0 ? {} : { inboxPut }),
        ...(claims === undefined ? {} : { claims }),
      });
    }
    return { commitId: `${this.#host.owner}/${++this.#commits}`, parts };
  }

  /** True when it is durable; false when the group has changed and must be encoded anew. */
  async #append(commit: Commit): Promise<boolean> {
    for (;;) {
      try {
        const result = await this.#store.append(commit);
        switch (result.kind) {
          case 'committed':
            return true;
          case 'fenced':
            return await this.#onFenced(commit, result.partitions);
          case 'keyTaken':
            this.#host.keysTaken(result);
            return false;
        }
      } catch (error) {
        const failure = asStoreError(error);
        if (failure.kind === 'invalid') throw failure;
        this.#host.storeFailed(failure);
        if (failure.kind === 'unknown') {
          this.#host.commitUnknown();
          if ((await this.#readBack(commit)) === 'committed') return true;
        }
        await this.#host.pause();
        // Leases may have gone while we waited; what is not ours is not written again.
        if (commit.parts.some((part) => this.#host.held(part.partition)?.epoch !== part.epoch)) {
          return (await this.#readBack(commit)) === 'committed';
        }
      }
    }
  }

  /**
   * Somebody else's group stands where ours should. Unless it is our own: an earlier try whose
   * answer was lost may have reached the store late, and then all of the commit is there.
   */
  async #onFenced(commit: Commit, partitions: readonly number[]): Promise<boolean> {
    if ((await this.#readBack(commit)) === 'committed') return true;
    for (const partition of partitions) this.#host.fenced(partition);
    return false;
  }

  /** Finds out whether the commit is there; never guesses, however long the store is away. */
  async #readBack(commit: Commit): Promise<'committed' | 'absent'> {
    const part = commit.parts[0] as CommitPart;
    for (;;) {
      try {
        const group = await this.#store.readGroup({ partition: part.partition, seq: part.seq });
        return group?.commitId === commit.commitId ? 'committed' : 'absent';
      } catch (error) {
        this.#host.storeFailed(asStoreError(error));
        await this.#host.pause();
      }
    }
  }
}

const NONE: readonly string[] = [];
const NO_ALIASES: readonly HeldKey[] = [];
const NONE_PUT: readonly InboxEntry[] = [];
const NO_FACTS: readonly Fact[] = [];

export function asStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  throw error;
}
