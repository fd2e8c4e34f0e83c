import { encodeGroup, type Fact, invariant } from '@signalbox/engine';
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
import type { KeyWrites } from './reply.ts';

/** What the committer asks of the loop while a commit is under way. */
export interface CommitHost {
  readonly owner: string;
  /** Epoch and next seq of a partition that this node still holds, or null. */
  held(partition: number): { epoch: number; nextSeq: number } | null;
  /** The store knows a newer owner. */
  fenced(partition: number): void;
  /** The store will not take what was decided in this partition, however often it is repeated. */
  refused(partition: number, error: StoreError): void;
  /** Failed tries of one commit, with a store that can be read, before it counts as refused. */
  readonly triesMax: number;
  /** Others have the keys: the mails that ask for them leave the group. Answers how many there were. */
  keysTaken(refusal: AppendResult & { kind: 'keyTaken' }): number;
  storeFailed(error: StoreError): void;
  commitUnknown(): void;
  /** Waits before the next try; never ends once the loop has stopped. */
  pause(): Promise<void>;
  now(): number;
}

/**
 * What became of one try: all of it is durable; the group has changed and has to be encoded again; or
 * the store will never take it, and nothing of it was written.
 */
type Outcome =
  | { readonly kind: 'durable' }
  | { readonly kind: 'changed' }
  | { readonly kind: 'refused'; readonly error: StoreError };

const DURABLE: Outcome = { kind: 'durable' };
const CHANGED: Outcome = { kind: 'changed' };

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

  /** Returns the parts as they were written. */
  async commit(group: Group): Promise<readonly CommitPart[]> {
    for (;;) {
      const commit = this.#encode(group);
      if (commit.parts.length === 0) return [];
      const outcome = await this.#append(commit);
      if (outcome.kind === 'durable') return commit.parts;
      if (outcome.kind === 'changed') continue;
      const [only, ...others] = commit.parts;
      if (only === undefined || others.length > 0) return this.#commitApart(group);
      this.#host.refused(only.partition, outcome.error);
    }
  }

  /**
   * Each partition in a commit of its own: the one whose part the store refuses is given up, and the
   * others, which have nothing to do with it, become durable.
   */
  async #commitApart(group: Group): Promise<readonly CommitPart[]> {
    const written = new Map<number, CommitPart>();
    for (;;) {
      const { commitId, parts } = this.#encode(group, written);
      const [part] = parts;
      if (part === undefined) return [...written.values()];
      const outcome = await this.#append({ commitId, parts: [part] });
      if (outcome.kind === 'durable') written.set(part.partition, part);
      else if (outcome.kind === 'refused') this.#host.refused(part.partition, outcome.error);
    }
  }

  #encode(group: Group, written: ReadonlyMap<number, CommitPart> = NONE_WRITTEN): Commit {
    const parts: CommitPart[] = [];
    const at = this.#host.now();
    const writes = group.keyWrites();
    for (const partition of new Set([...group.facts.keys(), ...writes.keys()])) {
      if (written.has(partition)) continue;
      const facts = group.facts.get(partition) ?? NO_FACTS;
      const held = this.#host.held(partition);
      if (held === null) continue;
      const { body, factCount, runs, ends, parked } = encodeGroup({ partition, at, facts });
      const { inboxTaken, aliases, claims } = collect(writes.get(partition));
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
      parts.push({
        ...part,
        ...(inboxPut.length === 0 ? {} : { inboxPut }),
        ...(claims.length === 0 ? {} : { claims }),
      });
    }
    return { commitId: `${this.#host.owner}/${++this.#commits}`, parts };
  }

  async #append(commit: Commit): Promise<Outcome> {
    for (let tries = 1; ; tries++) {
      try {
        const result = await this.#store.append(commit);
        switch (result.kind) {
          case 'committed':
            return DURABLE;
          case 'fenced':
            return await this.#onFenced(commit, result.partitions);
          case 'keyTaken':
            this.#onKeysTaken(commit, result);
            return CHANGED;
        }
      } catch (error) {
        const failure = asStoreError(error);
        if (failure.kind === 'invalid') return { kind: 'refused', error: failure };
        this.#host.storeFailed(failure);
        if (failure.kind === 'unknown') {
          this.#host.commitUnknown();
          if ((await this.#readBack(commit)) === 'committed') return DURABLE;
          // The store is there: this commit is what it cannot take.
          if (tries >= this.#host.triesMax) return { kind: 'refused', error: failure };
        }
        await this.#host.pause();
        // Leases may have gone while we waited; what is not ours is not written again.
        if (!this.#isOurs(commit)) {
          return (await this.#readBack(commit)) === 'committed' ? DURABLE : CHANGED;
        }
      }
    }
  }

  /**
   * Somebody else's group stands where ours should. Unless it is our own: an earlier try whose
   * answer was lost may have reached the store late, and then all of the commit is there.
   */
  async #onFenced(commit: Commit, partitions: readonly number[]): Promise<Outcome> {
    if ((await this.#readBack(commit)) === 'committed') return DURABLE;
    for (const partition of partitions) this.#host.fenced(partition);
    return CHANGED;
  }

  /** What asked for the keys may have left with a partition that was lost while the answer was on its way. */
  #onKeysTaken(commit: Commit, refusal: AppendResult & { kind: 'keyTaken' }): void {
    const isExplained = this.#host.keysTaken(refusal) > 0 || !this.#isOurs(commit);
    invariant(isExplained, 'I2', 'the store refused a key that no submission uses');
  }

  #isOurs({ parts }: Commit): boolean {
    return parts.every((part) => this.#host.held(part.partition)?.epoch === part.epoch);
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

const NONE_WRITTEN: ReadonlyMap<number, CommitPart> = new Map();
const NOTHING = { inboxTaken: [], aliases: [], claims: [] } as const;
const NONE_PUT: readonly InboxEntry[] = [];
const NO_FACTS: readonly Fact[] = [];

/** What the mail of a group writes in one partition beside its facts. */
function collect(writes: readonly KeyWrites[] | undefined): {
  readonly inboxTaken: readonly string[];
  readonly aliases: readonly HeldKey[];
  readonly claims: readonly HeldKey[];
} {
  if (writes === undefined) return NOTHING;
  return {
    inboxTaken: writes.flatMap(({ inboxTaken }) => inboxTaken ?? []),
    aliases: writes.flatMap(({ alias }) => alias ?? []),
    claims: writes.flatMap(({ claims }) => claims),
  };
}

export function asStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  throw error;
}
