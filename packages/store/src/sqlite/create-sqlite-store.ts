import { DamagedRows } from '../damage/damaged-rows.ts';
import { GROUP_SEGMENT_SIZE_DEFAULT } from '../group-segment.ts';
import { SEGMENT_MS_DEFAULT } from '../run-segment.ts';
import { type Snapshot, toSnapshot } from '../snapshot.ts';
import type { Store } from '../store.ts';
import { append } from './append/append.ts';
import * as audit from './audit.ts';
import { beat, forgetNode } from './beat.ts';
import * as checkpoints from './checkpoints.ts';
import { openFile } from './connection.ts';
import { contents } from './contents.ts';
import type { Context } from './context.ts';
import { forgetDamagedRows, listDamagedRows, setAside, writeDamagedRows } from './damaged-rows.ts';
import { Database } from './database.ts';
import * as definitions from './definitions.ts';
import { toStoreError } from './failure.ts';
import * as groups from './groups.ts';
import * as inbox from './inbox.ts';
import * as keys from './keys.ts';
import * as leases from './leases.ts';
import * as logs from './logs.ts';
import { migrate, requireSizes } from './migrate.ts';
import { readParked } from './parked.ts';
import * as runs from './runs.ts';
import { SegmentCatalog, type SegmentSizes } from './segment-catalog.ts';
import * as segments from './segments.ts';
import { listStopped, setStopped } from './stopped-partitions.ts';

export interface SqliteStoreOptions {
  readonly path: string;
  /** The store's clock: this machine's, unless a test provides one. */
  readonly now?: () => number;
  /** Fixed when the file is created; a later value must be equal. */
  readonly segmentMs?: number;
  /** Seqs per group segment; fixed when the file is created. */
  readonly groupSegmentSize?: number;
}

export interface SqliteStore extends Store {
  snapshot(): Promise<Snapshot>;
}

/** Opens or creates the file. Call `migrate` first. */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { path, now = Date.now, segmentMs, groupSegmentSize } = options;
  const requested = {
    ...(segmentMs === undefined ? {} : { segmentMs }),
    ...(groupSegmentSize === undefined ? {} : { groupSegmentSize }),
  };
  return storeOn(new Database(openFile(path)), { now, requested });
}

const DEFAULTS: SegmentSizes = {
  segmentMs: SEGMENT_MS_DEFAULT,
  groupSegmentSize: GROUP_SEGMENT_SIZE_DEFAULT,
};

/**
 * The store on an open connection. SQLite works on the calling thread, so each method has done all
 * its work, flush included, before its promise exists.
 */
export function storeOn(
  db: Database,
  options: { now: () => number; requested: Partial<SegmentSizes> },
): SqliteStore {
  const catalog = new SegmentCatalog(db);
  const damage = new DamagedRows();
  const context: Context = { db, catalog, now: options.now, damage };
  /** Turns a function of the context into a method that only ever rejects with a `StoreError`. */
  const method =
    <A extends unknown[], R>(operation: (context: Context, ...values: A) => R) =>
    async (...values: A): Promise<R> => {
      try {
        return operation(context, ...values);
      } catch (error) {
        throw toStoreError(error);
      } finally {
        writeDamagedRows(context);
      }
    };
  return {
    migrate: method(() => {
      migrate(db);
      catalog.setSizes(requireSizes(db, { requested: options.requested, defaults: DEFAULTS }));
    }),
    close: method(() => db.close()),
    now: async () => options.now(),
    append: method(append),
    blocks: true,
    readGroup: method(groups.readGroup),
    readGroups: method(groups.readGroups),
    writeCheckpoint: method(checkpoints.writeCheckpoint),
    readCheckpoint: method(checkpoints.readCheckpoint),
    acquireLease: method(leases.acquireLease),
    beat: method(beat),
    releaseLease: method(leases.releaseLease),
    forgetNode: method(forgetNode),
    listLeases: method(leases.listLeases),
    getRun: method(runs.getRun),
    readRuns: method(runs.readRuns),
    listRuns: method(runs.listRuns),
    readKeys: method(keys.readKeys),
    forgetKeys: method(keys.forgetKeys),
    readParked: method(readParked),
    putInbox: method(inbox.putInbox),
    readInbox: method(inbox.readInbox),
    readInboxEntry: method(inbox.readInboxEntry),
    putDefinition: method(definitions.putDefinition),
    deleteDefinition: method(definitions.deleteDefinition),
    restoreDefinition: method(definitions.restoreDefinition),
    getDefinition: method(definitions.getDefinition),
    listDefinitionVersions: method(definitions.listDefinitionVersions),
    listDefinitions: method(definitions.listDefinitions),
    countDefinitions: method(definitions.countDefinitions),
    listDefinitionChanges: method(definitions.listDefinitionChanges),
    appendLogs: method(logs.appendLogs),
    readLogs: method(logs.readLogs),
    appendAudit: method(audit.appendAudit),
    readAudit: method(audit.readAudit),
    listDamagedRows: method(listDamagedRows),
    setAside: method(setAside),
    forgetDamagedRows: method(forgetDamagedRows),
    setStopped: method(setStopped),
    listStopped: method(listStopped),
    onDamaged: (listener) => damage.onFound(listener),
    ensureSegments: method(segments.ensureSegments),
    listSegments: method(segments.listSegments),
    lastUsedSegment: method(segments.lastUsedSegment),
    sealSegment: method(segments.sealSegment),
    dropSegment: method(segments.dropSegment),
    dropGroupsBefore: method(groups.dropGroupsBefore),
    snapshot: method(() => toSnapshot(contents(context))),
  };
}
