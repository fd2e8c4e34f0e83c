import type { Class, RunId } from '@signalbox/engine';
import type { AuditEntry, AuditRow } from './audit-chain.ts';
import type { DamagedRow, FoundDamage } from './damage/damaged-rows.ts';
import type {
  Definition,
  DefinitionChange,
  DefinitionCursor,
  DefinitionKey,
  DefinitionResult,
} from './definition.ts';
import type { AcquireResult, BeatResult, Lease } from './lease.ts';
import type { LogLineRow, LogQuery } from './log-lines.ts';
import type { Segment } from './run-segment.ts';

/**
 * The store: where facts become durable. Three implementations (memory, SQLite, PostgreSQL) are
 * kept equal by one conformance suite and by differential runs; nothing above this file may know
 * which one it has.
 *
 * Contract for every method:
 * - It resolves only when its effect is durable, and rejects only with a `StoreError`.
 * - Times are milliseconds of the STORE's clock unless the name says otherwise; no caller's clock
 *   decides a lease.
 * - Byte arrays are opaque and come back byte for byte. The caller does not change them afterwards.
 * - Text holds no NUL and no lone surrogate; a violation is `invalid` in every store, because
 *   PostgreSQL would refuse what SQLite would keep.
 *
 * Invariants enforced here (numbers as in docs/architecture.md):
 * - I2  at most one run per (tenant, idempotency key), until the key is forgotten; never two live.
 * - I7  epochs of a partition strictly rise.
 * - I9  no group commits under a superseded epoch: (partition, seq) is unique, a take-over occupies
 *       the next seq itself, so the old owner's next append collides and writes nothing.
 * - I19 every read of a run, a definition, a log or the audit log names its tenant and never
 *       answers for another.
 */
export interface Store {
  /** Brings the schema up to date under a lock; `invalid` when it is newer than this code knows. */
  migrate(): Promise<void>;
  close(): Promise<void>;
  /** The store's clock. */
  now(): Promise<number>;

  // ── journal ────────────────────────────────────────────────────────────────────────────────
  /**
   * One atomic group commit: everything of every part, or nothing at all.
   * `fenced` and `keyTaken` are answers, not errors: nothing was written, and the answer names what
   * has to leave the commit before it can be tried again.
   * A row whose segment has not been made ahead gets one made: a commit never fails for that.
   * A commit of more than `COMMIT_BYTES_MAX` is `invalid`.
   * On an `unknown` error ask `readGroup` for one of the parts: it is there with this commit's id
   * (all of it was written) or it is not (none of it was, and none of it will be: the
   * implementation makes sure that the lost call cannot still succeed afterwards).
   */
  append(commit: Commit): Promise<AppendResult>;
  /** Set where `append` has done its work when it returns: a caller gains nothing by calling early. */
  readonly blocks?: true;
  /** The group at (partition, seq) without its body, or null. */
  readGroup(at: { partition: number; seq: number }): Promise<GroupHead | null>;
  /**
   * Groups with seq > afterSeq in order of seq, bodies included; at most `limit`, and with `bytes` up to
   * the one whose body reaches them. So a page is followed by others unless it is short of both.
   * `damaged` where one of them cannot be read: facts are never passed over.
   */
  readGroups(query: {
    partition: number;
    afterSeq: number;
    limit: number;
    bytes?: number;
  }): Promise<Group[]>;

  // ── checkpoints ────────────────────────────────────────────────────────────────────────────
  /**
   * Replaces the partition's checkpoint, atomically, if its seq is higher than the stored one and
   * `epoch` is the partition's current epoch; answers whether it did. Groups stay: dropping them is retention.
   */
  writeCheckpoint(checkpoint: Checkpoint): Promise<boolean>;
  /** The newest that can be read of the last two; null where there is none. */
  readCheckpoint(partition: number): Promise<Checkpoint | null>;

  // ── ownership ──────────────────────────────────────────────────────────────────────────────
  /**
   * Takes the lease if it is free, has run out by the store's clock, or is this owner's own.
   * Atomically with the lease it appends an empty group under the new epoch at the next seq: the
   * fence. From then on no append under an older epoch can commit (I9), and one that was under way
   * has either committed before (and is part of what the new owner reads) or never will.
   */
  acquireLease(request: {
    partition: number;
    owner: string;
    ttlMs: number;
    commitId: string;
  }): Promise<AcquireResult>;
  /**
   * One call per beat: keeps the node in the registry, renews its leases, lists live nodes.
   * A lease that is not renewed here is lost, whatever the reason; a renewal never revives a lease
   * that has been taken by another owner, but may revive one that ran out and was taken by nobody.
   */
  beat(request: {
    node: string;
    address: string;
    ttlMs: number;
    leases: readonly { partition: number; epoch: number }[];
  }): Promise<BeatResult>;
  /** Lets a lease run out now, if it is still this owner's and epoch's. The epoch stays. */
  releaseLease(lease: { partition: number; owner: string; epoch: number }): Promise<void>;
  /** Takes the node out of the registry. */
  forgetNode(node: string): Promise<void>;
  listLeases(): Promise<Lease[]>;

  // ── runs ───────────────────────────────────────────────────────────────────────────────────
  /**
   * One run as submitted, and its end if it has one; null for an absent id and for another tenant's
   * alike. `damaged` where one of the two rows cannot be read, or only the end is there.
   */
  getRun(query: { tenant: string; id: RunId }): Promise<StoredRun | null>;
  /**
   * The rows of the given runs, in any order; absent and damaged ones are left out. `input` is null
   * unless asked for.
   */
  readRuns(query: {
    ids: readonly { tenant: string; id: RunId }[];
    withInput: boolean;
  }): Promise<RunRow[]>;
  /**
   * Runs of a tenant, newest first, before the cursor and from `from` on. `withPayloads: false` leaves
   * out inputs and outputs, as null: a page may hold many megabytes that a list does not show. With
   * `bytes` up to the run whose `storedRunBytes` reach them, as with groups. A damaged run is marked and
   * tells nothing but its id and tenant.
   */
  listRuns(query: {
    tenant: string;
    before: RunId | null;
    from?: RunId;
    limit: number;
    job?: string;
    ended?: boolean;
    withPayloads?: boolean;
    bytes?: number;
  }): Promise<StoredRun[]>;
  /**
   * Runs that hold these idempotency keys; a key that only an inbox entry reserves is left out. `damaged`
   * where the row of one of them cannot be read.
   */
  readKeys(keys: readonly { tenant: string; key: string }[]): Promise<HeldKey[]>;
  /**
   * Looks at keys of runs submitted before the time, in order of (run, tenant, key) and after the
   * cursor, at most `limit`, and forgets them. The key of a run that is there and has not ended
   * stays, however old it is: a second submission under it would make a second live run (I2). It
   * moves the cursor, so a pass over all of them ends. `last` is null where nothing comes after.
   * A key that an entry reserves stays. A name or a claim goes by the time of the commit that gave
   * it, where that is later than its run: it was acknowledged then.
   */
  forgetKeys(query: {
    beforeMs: number;
    after: HeldKey | null;
    limit: number;
  }): Promise<{ forgotten: number; last: HeldKey | null }>;

  // ── parked runs (backlog beyond memory, and due times far ahead) ──────────────────────────
  /**
   * Parked runs of one lane in order of (sort, id), after the cursor and with sort <= upTo, with
   * their rows and inputs. Runs that have ended or are damaged are left out of `runs`, but move the cursor; damaged
   * places are left out and move nothing.
   * With `bytes` the page ends with the run whose input reaches them, or a little before; it has one
   * run at least if there is any. With 0 bytes, rows come without their inputs.
   */
  readParked(query: {
    partition: number;
    lane: string;
    after: ParkedCursor | null;
    upTo: number;
    limit: number;
    bytes?: number;
  }): Promise<{ runs: ParkedRun[]; last: ParkedCursor | null; exhausted: boolean }>;

  // ── inbox ──────────────────────────────────────────────────────────────────────────────────
  /**
   * Durably keeps a submission, or a word of another run, for the owner of its partition. The entry
   * reserves its key in the same transaction, in the table that runs take their keys from: until the
   * entry is taken, no run and no other entry gets the key (I2). Where the id or the key is there
   * already nothing is written, and the result says what is there.
   */
  putInbox(entry: InboxEntry): Promise<PutResult>;
  /**
   * The entry of this id, if it waits and is the tenant's. `damaged` where it cannot be read, also after it
   * was moved to the damaged rows: its id was acknowledged.
   */
  readInboxEntry(query: { tenant: string; id: string }): Promise<InboxEntry | null>;
  /**
   * Oldest first. Entries leave by `inboxTaken` of a fenced commit, never by reading, unless they are
   * damaged: those are moved to the damaged rows and release their keys. With `bytes` up to
   * the one whose `inboxEntryBytes` reach them, as with groups.
   */
  readInbox(query: {
    partitions: readonly number[];
    limit: number;
    bytes?: number;
  }): Promise<InboxEntry[]>;

  // ── definitions ────────────────────────────────────────────────────────────────────────────
  /**
   * Writes the next version of a definition. `expectedVersion` is the version the author saw (0 for
   * a new one); anything else is answered with `conflict` and the current version (409 above).
   */
  putDefinition(change: DefinitionChange): Promise<DefinitionResult>;
  /** Deletion is soft: a new version that is marked deleted. Restoring writes a further one. */
  deleteDefinition(change: Omit<DefinitionChange, 'body'>): Promise<DefinitionResult>;
  restoreDefinition(change: Omit<DefinitionChange, 'body'>): Promise<DefinitionResult>;
  /** The newest version, or the given one; deleted ones are returned with `deleted: true`. `damaged` where it cannot be read. */
  getDefinition(query: DefinitionKey & { version?: number }): Promise<Definition | null>;
  /**
   * Versions behind `after`, oldest first; at most `limit`, and with `bytes` up to the one whose
   * `definitionBytes` reach them. Versions that are damaged are marked and have no body. So it is with
   * the two lists below.
   */
  listDefinitionVersions(
    query: DefinitionKey & { after: number; limit: number; bytes?: number },
  ): Promise<Definition[]>;
  /** Newest versions by name; deleted ones only if asked for. */
  listDefinitions(query: {
    tenant: string;
    kind: string;
    after: string | null;
    limit: number;
    bytes?: number;
    includeDeleted?: boolean;
  }): Promise<Definition[]>;

  /** How many definitions of a kind the tenant has, without deleted ones. */
  countDefinitions(query: { tenant: string; kind: string }): Promise<number>;

  /**
   * Versions of one kind over all tenants, deleted ones included, in order of (atMs, tenant, name,
   * version) behind the cursor; at most `limit`. For whoever carries out what is defined, on every
   * tenant's behalf: what it answers is never shown to a caller (I19). Two writers may commit in
   * another order than their times, so whoever follows the changes looks back a while.
   */
  listDefinitionChanges(query: {
    kind: string;
    after: DefinitionCursor;
    limit: number;
    bytes?: number;
  }): Promise<Definition[]>;

  // ── logs of attempts ───────────────────────────────────────────────────────────────────────
  /**
   * Keeps lines that attempts printed. Repeating a line, known by (run, task, attempt, number), is a
   * no-op, so a batch whose answer was lost is simply sent again. Text is kept as it is: whoever
   * prints a NUL has it replaced before.
   * Lines of a run whose segment is not open (sealed, dropped or never made) are left out: such a
   * run is over, and one late line must not refuse the lines of every other run in the batch.
   */
  appendLogs(lines: readonly LogLineRow[]): Promise<void>;
  /**
   * Lines of a run in order of (task, attempt, number), behind the cursor; of one task or attempt if
   * asked for. Nothing for an absent run and for another tenant's alike.
   */
  readLogs(query: LogQuery): Promise<LogLineRow[]>;

  // ── audit log ──────────────────────────────────────────────────────────────────────────────
  /**
   * Adds the tenant's next entry: numbered without a gap, timed by the store's clock, and tied by its
   * hash to every entry before it (`verifyAuditChain`), however many callers add at once. Nothing
   * here changes or removes an entry. On an `unknown` error the entry may be there: adding it again
   * may state it twice, which is better than not at all.
   */
  appendAudit(entry: AuditEntry): Promise<AuditRow>;
  /**
   * Entries of a tenant with a number > `after`, in order of number; at most `limit`, and with `bytes` up
   * to the one whose `auditRowBytes` reach them.
   */
  readAudit(query: {
    tenant: string;
    after: number;
    limit: number;
    bytes?: number;
  }): Promise<AuditRow[]>;

  // ── damaged rows ───────────────────────────────────────────────────────────────────────────
  /**
   * Rows that could not be read, in order of (kind, key) behind the cursor, at most `limit`. A row that
   * does not match its checksum, or cannot be decoded, is copied here with its bytes by the first call
   * that reads it. The row itself stays where it is, except an inbox entry, which is moved here.
   */
  listDamagedRows(query: {
    after: { kind: string; key: string } | null;
    limit: number;
  }): Promise<DamagedRow[]>;
  /** Writes down a row that is missing or that only the caller can tell to be damaged; idempotent. */
  setAside(row: FoundDamage): Promise<void>;
  /**
   * Removes the copy of one damaged row, or all copies, and returns how many there were. A row that is still
   * damaged is listed again when it is next read; an inbox entry is lost with its copy.
   */
  forgetDamagedRows(row: { readonly kind: string; readonly key: string } | null): Promise<number>;
  /** Writes down for every node that no node can read the partition, or with null that one has read it. */
  setStopped(params: { readonly partition: number; readonly error: string | null }): Promise<void>;
  /** In order of partition. */
  listStopped(): Promise<StoppedPartition[]>;
  /** `listener` is called once for each damaged row that this process finds. One listener per store. */
  onDamaged(listener: (row: FoundDamage) => void): void;

  // ── segments ───────────────────────────────────────────────────────────────────────────────
  /** Makes run segments ahead so that ids up to `untilMs` have a place; idempotent. */
  ensureSegments(query: { untilMs: number }): Promise<void>;
  /** Run segments, oldest first. */
  listSegments(): Promise<Segment[]>;
  /**
   * The newest segment that holds a run, or null. What the journal itself knows of the time: however
   * wrong a clock is, runs were submitted up to this segment.
   */
  lastUsedSegment(): Promise<Segment | null>;
  /**
   * Seals a segment that lies wholly in the past (`toMs` <= the store's now) and whose runs have
   * all ended. A sealed segment takes no further row, and neither does a dropped one: asking for that
   * again, as two nodes that sweep at once do, changes nothing and returns `sealed`.
   */
  sealSegment(fromMs: number): Promise<{ sealed: boolean; openRuns: number }>;
  /**
   * Drops a sealed segment with its runs, ends, parked rows and logs: a drop, never a delete. `invalid` if
   * not sealed; nothing happens if it has been dropped already.
   */
  dropSegment(fromMs: number): Promise<void>;
  /** Drops whole group segments that every checkpoint has passed; answers how many segments went. */
  dropGroupsBefore(query: { beforeMs: number }): Promise<number>;
}

/** A partition whose facts could not be read when it was last taken over. */
export interface StoppedPartition {
  readonly partition: number;
  readonly error: string;
  /** Since when, by the store's clock. */
  readonly atMs: number;
}

export interface Commit {
  /** Unique per commit: the owner's uuid and a counter. What a read-back recognises. */
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
   * Inbox entries that this group turns into runs, or has heard; they vanish in the same transaction.
   * The commit may take the keys that they reserve, and frees those that it does not take.
   */
  readonly inboxTaken: readonly string[];
  /**
   * Submissions and words that this group owes to other partitions: they are in the inbox with the
   * group, or neither is. An id or a key that is there already is a no-op; none is put and taken by
   * one commit. Absent in almost every commit.
   */
  readonly inboxPut?: readonly InboxEntry[];
  /**
   * Further names of runs, of this commit or stored before: what an inbox entry was called that
   * turned out to be one of them, or a key that no other run may take any more. Written behind the runs' own keys; a name that is taken keeps its run.
   */
  readonly aliases: readonly HeldKey[];
  /**
   * Keys of submissions that were found to be a run that exists, by a unique value: sent again, the
   * key names the same run. Unlike an alias, a claim is refused where another run or entry has the
   * key; within one commit a claim comes before the keys of new runs. Absent in almost every commit.
   */
  readonly claims?: readonly HeldKey[];
}

/** A key that an inbox entry reserves until it is taken. */
export interface ReservedKey {
  readonly tenant: string;
  readonly key: string;
  /** The id of the entry. */
  readonly entry: string;
}

export type PutResult =
  | { readonly kind: 'put' }
  /** An entry of this id or this key waits already. */
  | { readonly kind: 'waiting'; readonly entry: InboxEntry }
  /** The key belongs to a run. */
  | { readonly kind: 'run'; readonly run: RunId };

/** A key, and the run that it stands for. */
export interface HeldKey {
  readonly tenant: string;
  readonly key: string;
  readonly run: RunId;
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

/** One submission. Found by (tenant, id), listed by tenant in order of id. */
export interface RunRow {
  readonly id: RunId;
  readonly tenant: string;
  readonly job: string;
  readonly jobVersion: number;
  readonly class: Class;
  /** What else was said at submission, as JSON text of the engine's making; '' for nothing. */
  readonly head: string;
  readonly input: Uint8Array | null;
  readonly inputBytes: number;
  /** Idempotency keys this run takes: the client's, an inbox alias, or none. */
  readonly keys: readonly string[];
}

/** The end of a run: written once, never changed (I3). */
export interface EndRow {
  readonly id: RunId;
  readonly tenant: string;
  /** A terminal run state. */
  readonly state: string;
  readonly endedAtMs: number;
  /** The run's attempts and outcomes, as JSON text of the engine's making. */
  readonly detail: string;
  readonly output: Uint8Array | null;
}

export interface StoredRun {
  readonly run: RunRow;
  readonly end: EndRow | null;
  /** One of the two rows cannot be read; all but id and tenant are placeholders. Only in lists. */
  readonly damaged?: true;
}

export interface ParkedRow {
  readonly lane: string;
  readonly sort: number;
  readonly tenant: string;
  readonly id: RunId;
}

export interface ParkedCursor {
  readonly sort: number;
  readonly id: RunId;
}

export interface ParkedRun {
  readonly sort: number;
  readonly run: RunRow;
}

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

export interface Checkpoint {
  readonly partition: number;
  readonly epoch: number;
  /** The last group whose facts are folded in. */
  readonly seq: number;
  /** Opaque; written and read whole, in order. */
  readonly chunks: readonly Uint8Array[];
}

export interface InboxEntry {
  /** The alias handed to the client (see `inboxId`); of a word nobody is told. */
  readonly id: string;
  readonly partition: number;
  readonly tenant: string;
  readonly job: string;
  readonly class: Class;
  readonly head: string;
  readonly input: Uint8Array | null;
  readonly key: string | null;
  readonly atMs: number;
}
