import { StoreError } from '../errors.ts';
import type { Snapshot } from '../snapshot.ts';
import type { Store } from '../store.ts';
import { acquireLease } from './acquire-lease.ts';
import { append } from './append/append.ts';
import { LostAttempts } from './append/lost-attempts.ts';
import * as audit from './audit.ts';
import * as checkpoints from './checkpoints.ts';
import { step } from './connection/step.ts';
import { forgetDamagedRows, listDamagedRows, writeDamagedRows } from './damaged-rows.ts';
import { Database } from './database.ts';
import * as definitions from './definitions.ts';
import { dump } from './dump.ts';
import * as groups from './groups.ts';
import * as inbox from './inbox.ts';
import * as keys from './keys.ts';
import * as leases from './leases.ts';
import { listRuns } from './list-runs.ts';
import * as logs from './logs.ts';
import { migrate } from './migrate.ts';
import { readNow } from './now.ts';
import { type PostgresStoreOptions, toSettings } from './options.ts';
import { readParked } from './parked.ts';
import * as runs from './runs.ts';
import { dropGroupsBefore } from './segments/drop-groups-before.ts';
import * as segments from './segments/run-segments.ts';
import { readIsolation } from './sql/session/read-isolation.ts';
import { listStopped, setStopped } from './stopped-partitions.ts';

export interface PostgresStore extends Store {
  /** Everything the store holds, for checkers and tests. */
  snapshot(): Promise<Snapshot>;
}

/** Connects; `unavailable` when that fails. `migrate` creates the schema. */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const database = new Database(toSettings(options));
  try {
    await requireReadCommitted(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  const lost = new LostAttempts(database);
  /** Records the damaged rows that a call found before it returns. */
  const checked =
    <A extends unknown[], R>(method: (database: Database, ...values: A) => Promise<R>) =>
    async (...values: A): Promise<R> => {
      try {
        return await method(database, ...values);
      } finally {
        await writeDamagedRows(database);
      }
    };
  return {
    migrate: () => migrate(database),
    close: () => database.close(),
    now: () => readNow(database),
    append: (commit) => append(database, lost, commit),
    readGroup: async (at) => {
      await lost.voidAll();
      return groups.readGroup(database, at);
    },
    readGroups: checked(groups.readGroups),
    writeCheckpoint: (checkpoint) => checkpoints.writeCheckpoint(database, checkpoint),
    readCheckpoint: checked(checkpoints.readCheckpoint),
    acquireLease: (request) => acquireLease(database, request),
    beat: (request) => leases.beat(database, request),
    releaseLease: (lease) => leases.releaseLease(database, lease),
    forgetNode: (node) => leases.forgetNode(database, node),
    listLeases: () => leases.listLeases(database),
    getRun: checked(runs.getRun),
    readRuns: checked(runs.readRuns),
    listRuns: checked(listRuns),
    readKeys: (requested) => keys.readKeys(database, requested),
    forgetKeys: (query) => keys.forgetKeys(database, query),
    readParked: checked(readParked),
    putInbox: (entry) => inbox.putInbox(database, entry),
    readInbox: checked(inbox.readInbox),
    readInboxEntry: (query) => inbox.readInboxEntry(database, query),
    putDefinition: async (change) => definitions.putDefinition(database, change),
    deleteDefinition: async (change) => definitions.deleteDefinition(database, change),
    restoreDefinition: async (change) => definitions.restoreDefinition(database, change),
    getDefinition: checked(definitions.getDefinition),
    listDefinitionVersions: checked(definitions.listDefinitionVersions),
    listDefinitions: checked(definitions.listDefinitions),
    countDefinitions: (query) => definitions.countDefinitions(database, query),
    listDefinitionChanges: checked(definitions.listDefinitionChanges),
    appendLogs: (lines) => logs.appendLogs(database, lines),
    readLogs: (query) => logs.readLogs(database, query),
    appendAudit: (entry) => audit.appendAudit(database, entry),
    readAudit: (query) => audit.readAudit(database, query),
    listDamagedRows: (query) => listDamagedRows(database, query),
    setAside: async (row) => {
      database.damage.add(row);
      await writeDamagedRows(database);
    },
    forgetDamagedRows: (row) => forgetDamagedRows(database, row),
    setStopped: (params) => setStopped(database, params),
    listStopped: () => listStopped(database),
    onDamaged: (listener) => database.damage.onFound(listener),
    ensureSegments: (query) => segments.ensureSegments(database, query),
    listSegments: () => segments.listSegments(database),
    lastUsedSegment: () => segments.lastUsedSegment(database),
    sealSegment: (fromMs) => segments.sealSegment(database, fromMs),
    dropSegment: (fromMs) => segments.dropSegment(database, fromMs),
    dropGroupsBefore: (query) => dropGroupsBefore(database, query),
    snapshot: () => dump(database),
  };
}

/**
 * The fence and the voiding of lost attempts rest on each statement seeing what was committed
 * before it began. A database set to one snapshot per transaction would break both, silently.
 */
async function requireReadCommitted(database: Database): Promise<void> {
  const [row] = await database.read<{ isolation: string }>(step(readIsolation(database.schema)));
  if (row?.isolation !== 'read committed') {
    throw new StoreError(
      'invalid',
      `default_transaction_isolation is ${row?.isolation}; set it to read committed`,
    );
  }
}
