import type { Class, RunId } from '@signalbox/engine';

/*
 * The inbox: durable entries for the owner of a partition.
 *
 *   putInbox, `inboxPut` of a commit ─▶ waiting ─`inboxTaken` of a commit─▶ removed (now a run, or applied)
 *                                          │
 *                                          └─ a reader finds it damaged ─▶ moved to the damaged rows
 *
 * An entry with a key reserves the key while it waits, in the table from which runs take their keys: no run
 * and no other entry gets it (I2). The commit that takes the entry takes the key for its run, or releases it.
 *
 * Callers: nodes that do not own the partition put; the owner's `loop/inbox.ts` reads, its commits take.
 *
 * Atomic: the entry and the reservation of its key; the removal and the group that applies the entry. Only
 * the owner takes entries, under the fence (I9), so an entry is applied once. Reading changes nothing.
 *
 * Failures: after an `unknown` error the entry may be stored; putting it again is a no-op. A damaged entry
 * releases its key, and `readInboxEntry` reports `damaged`, because the id was returned to a client.
 */
export interface InboxStore {
  /** Stores an entry. If the id or the key exists, nothing is written, and the result says what exists. */
  putInbox(entry: InboxEntry): Promise<PutResult>;
  /**
   * The entry with this id, if it waits and belongs to the tenant. `damaged` if it cannot be read, also after
   * it was moved to the damaged rows.
   */
  readInboxEntry(query: { tenant: string; id: string }): Promise<InboxEntry | null>;
  /** Oldest first; at most `limit`, and with `bytes` up to the entry whose `inboxEntryBytes` reach them. */
  readInbox(query: {
    partitions: readonly number[];
    limit: number;
    bytes?: number;
  }): Promise<InboxEntry[]>;
}

/**
 * What an entry holds. `submission`: one run. `batch`: the runs of one request under one key. `message`: an
 * outbox message of another partition. `events`: events for the runs of the partition.
 */
export type InboxKind = 'batch' | 'events' | 'message' | 'submission';

export interface InboxEntry {
  /** The alias returned to the client (see `inboxId`); the id of a message is internal. */
  readonly id: string;
  readonly partition: number;
  readonly kind: InboxKind;
  readonly tenant: string;
  readonly job: string;
  readonly class: Class;
  /** JSON text; `kind` determines its form. */
  readonly head: string;
  readonly input: Uint8Array | null;
  readonly key: string | null;
  readonly atMs: number;
}

export type PutResult =
  | { readonly kind: 'put' }
  /** An entry with this id or this key waits already. */
  | { readonly kind: 'waiting'; readonly entry: InboxEntry }
  /** The key belongs to a run. */
  | { readonly kind: 'run'; readonly run: RunId };
