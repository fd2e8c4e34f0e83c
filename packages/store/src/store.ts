import type { AuditStore } from './contract/audit.ts';
import type { CheckpointStore } from './contract/checkpoints.ts';
import type { DamagedRowStore } from './contract/damaged-rows.ts';
import type { DefinitionStore } from './contract/definitions.ts';
import type { InboxStore } from './contract/inbox.ts';
import type { JournalStore } from './contract/journal.ts';
import type { KeyStore } from './contract/keys.ts';
import type { LeaseStore } from './contract/leases.ts';
import type { LogStore } from './contract/logs.ts';
import type { ParkedStore } from './contract/parked.ts';
import type { RunStore } from './contract/runs.ts';
import type { SegmentStore } from './contract/segments.ts';

/**
 * The store makes facts durable. One conformance suite and differential runs keep its three
 * implementations (memory, SQLite, PostgreSQL) equal; nothing above this file may know which one it has.
 * The methods are in `contract/`, by noun.
 *
 * Contract for every method:
 * - It resolves only when its effect is durable, and rejects only with a `StoreError`.
 * - Times are milliseconds of the STORE's clock unless the name says otherwise; no caller's clock
 *   decides about a lease.
 * - Byte arrays are opaque and come back byte for byte. The caller does not change them afterwards.
 * - Text contains no NUL and no lone surrogate; a violation is `invalid` in every store, because
 *   PostgreSQL would refuse what SQLite would store.
 *
 * Invariants enforced here (numbers as in docs/architecture.md):
 * - I2  at most one run per (tenant, idempotency key), until the key is forgotten; never two live.
 * - I7  epochs of a partition strictly rise.
 * - I9  no group commits under a superseded epoch: (partition, seq) is unique, a take-over occupies
 *       the next seq itself, so the old owner's next append collides and writes nothing.
 * - I19 every read of a run, a definition, a log or the audit log names its tenant and never
 *       returns a row of another tenant.
 */
export interface Store
  extends JournalStore,
    CheckpointStore,
    LeaseStore,
    RunStore,
    KeyStore,
    ParkedStore,
    InboxStore,
    DefinitionStore,
    LogStore,
    AuditStore,
    DamagedRowStore,
    SegmentStore {
  /** Brings the schema up to date under a lock; `invalid` if this program cannot read it. */
  migrate(): Promise<void>;
  close(): Promise<void>;
  /** The store's clock. */
  now(): Promise<number>;
}
