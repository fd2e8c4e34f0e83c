import type { InboxEntry } from './inbox.ts';
import type { HeldKey, ReservedKey } from './keys.ts';
import type { ParkedRow } from './parked.ts';
import type { EndRow, RunRow } from './runs.ts';

/** Groups of facts, one sequence per partition, and everything that is committed with them. */
export interface JournalStore {
  /**
   * One atomic group commit: everything of every part, or nothing.
   * `fenced` and `keyTaken` are results, not errors: nothing was written, and the result names what has to
   * be removed from the commit before it can be retried.
   * If the segment of a row does not exist, it is created: a commit never fails for that.
   * A commit of more than `COMMIT_BYTES_MAX` is `invalid`.
   * After an `unknown` error, call `readGroup` for one of the parts: either the group has this commit's id
   * (everything was written), or not (nothing was written, and nothing will be: the implementation
   * ensures that the lost call cannot succeed later).
   */
  append(commit: Commit): Promise<AppendResult>;
  /** True if `append` is synchronous (SQLite): pipelining commits gains nothing. */
  readonly blocks?: true;
  /** The group at (partition, seq) without its body, or null. */
  readGroup(at: { partition: number; seq: number }): Promise<GroupHead | null>;
  /**
   * Groups with seq > afterSeq in order of seq, with bodies; at most `limit`, and with `bytes` up to the
   * group whose body reaches them. More groups may follow unless the page reaches neither limit.
   * `damaged` if one of them cannot be read: facts are never skipped.
   */
  readGroups(query: {
    partition: number;
    afterSeq: number;
    limit: number;
    bytes?: number;
  }): Promise<Group[]>;
}

export interface Commit {
  /** Unique per commit: the owner's uuid and a counter. `readGroup` returns it. */
  readonly commitId: string;
  /** At most one part per partition. */
  readonly parts: readonly CommitPart[];
}

export interface CommitPart {
  readonly partition: number;
  readonly epoch: number;
  /** The partition's previous group plus one. */
  readonly seq: number;
  /** Engine time of the group; for people and retention, never for decisions. */
  readonly atMs: number;
  /** The encoded facts of the group; opaque to the store. */
  readonly body: Uint8Array;
  readonly factCount: number;
  readonly runs: readonly RunRow[];
  readonly ends: readonly EndRow[];
  readonly parked: readonly ParkedRow[];
  /**
   * Inbox entries that this group applies; they are removed in the same transaction. The commit may take
   * the keys that they reserve, and releases the others.
   */
  readonly inboxTaken: readonly string[];
  /**
   * Submissions and messages for other partitions, put into the inbox atomically with the group. An entry
   * whose id or key exists is a no-op; no entry is put and taken by one commit. Absent in most commits.
   */
  readonly inboxPut?: readonly InboxEntry[];
  /**
   * Further keys of runs, of this commit or stored before: the alias of an inbox entry that became one of
   * them, or a key that no other run may take. Written after the runs' own keys; a key that is taken keeps
   * its run.
   */
  readonly aliases: readonly HeldKey[];
  /**
   * Keys of submissions that were found by a unique value to be an existing run: if the submission is
   * repeated, the key names the same run. Unlike an alias, a claim is refused if another run or entry has
   * the key; within one commit, claims come before the keys of new runs. Absent in most commits.
   */
  readonly claims?: readonly HeldKey[];
}

export type AppendResult =
  | { readonly kind: 'committed' }
  /** These partitions have been taken over: drop their parts. Nothing was written. */
  | { readonly kind: 'fenced'; readonly partitions: readonly number[] }
  /** These keys belong to other runs or to inbox entries: withdraw those submissions. Nothing was written. */
  | {
      readonly kind: 'keyTaken';
      readonly keys: readonly HeldKey[];
      readonly reserved: readonly ReservedKey[];
      /** Keys whose rows cannot be read: no run gets them, because another may have them. */
      readonly damaged?: readonly { readonly tenant: string; readonly key: string }[];
    };

export interface GroupHead {
  readonly partition: number;
  readonly seq: number;
  readonly epoch: number;
  readonly commitId: string;
  readonly atMs: number;
  readonly factCount: number;
}

export interface Group extends GroupHead {
  readonly body: Uint8Array;
}
