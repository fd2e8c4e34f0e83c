import { GROUP_SEGMENT_SIZE_DEFAULT } from '../group-segment.ts';
import { LEASE_MS_MAX } from '../lease-length.ts';
import { SEGMENT_MS_DEFAULT } from '../run-segment.ts';
import { type Snapshot, toSnapshot } from '../snapshot.ts';
import type { Store } from '../store.ts';
import { append } from './append.ts';
import * as audit from './audit.ts';
import { contents } from './contents.ts';
import * as damage from './damaged-rows.ts';
import * as definitions from './definitions.ts';
import * as groups from './groups.ts';
import * as inbox from './inbox.ts';
import * as keys from './keys.ts';
import * as leases from './leases.ts';
import * as logs from './logs.ts';
import { readParked } from './parked.ts';
import * as runs from './runs.ts';
import * as segments from './segments.ts';
import { newState } from './state.ts';

export interface MemoryStoreOptions {
  /** The store's clock. */
  readonly now: () => number;
  readonly segmentMs?: number;
  /** Seqs per group segment. */
  readonly groupSegmentSize?: number;
  /** `LEASE_MS_MAX` unless time is virtual and years pass between two beats. */
  readonly leaseMsMax?: number;
}

export interface MemoryStore extends Store {
  snapshot(): Snapshot;
}

/**
 * The oracle and the simulator's disk. Deterministic: no clock, timer or randomness of its own.
 * Every method does all its work before it first yields, so its effect is atomic; it is `async`
 * only to reject, instead of throwing, as the other stores do.
 * Closing keeps the contents: a simulated node goes away, its disk does not.
 */
export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  const state = newState({
    now: options.now,
    segmentMs: options.segmentMs ?? SEGMENT_MS_DEFAULT,
    groupSegmentSize: options.groupSegmentSize ?? GROUP_SEGMENT_SIZE_DEFAULT,
    leaseMsMax: options.leaseMsMax ?? LEASE_MS_MAX,
  });
  return {
    migrate: async () => {},
    close: async () => {},
    now: async () => state.now(),
    append: async (commit) => append(state, commit),
    readGroup: async (at) => groups.readGroup(state, at),
    readGroups: async (query) => groups.readGroups(state, query),
    writeCheckpoint: async (checkpoint) => groups.writeCheckpoint(state, checkpoint),
    readCheckpoint: async (partition) => groups.readCheckpoint(state, partition),
    acquireLease: async (request) => leases.acquireLease(state, request),
    beat: async (request) => leases.beat(state, request),
    releaseLease: async (lease) => leases.releaseLease(state, lease),
    forgetNode: async (node) => leases.forgetNode(state, node),
    listLeases: async () => leases.listLeases(state),
    getRun: async (query) => runs.getRun(state, query),
    readRuns: async (query) => runs.readRuns(state, query),
    listRuns: async (query) => runs.listRuns(state, query),
    readKeys: async (requested) => keys.readKeys(state, requested),
    forgetKeys: async (query) => keys.forgetKeys(state, query),
    readParked: async (query) => readParked(state, query),
    putInbox: async (entry) => inbox.putInbox(state, entry),
    readInbox: async (query) => inbox.readInbox(state, query),
    readInboxEntry: async (query) => inbox.readInboxEntry(state, query),
    putDefinition: async (change) => definitions.putDefinition(state, change),
    deleteDefinition: async (change) => definitions.deleteDefinition(state, change),
    restoreDefinition: async (change) => definitions.restoreDefinition(state, change),
    getDefinition: async (query) => definitions.getDefinition(state, query),
    listDefinitionVersions: async (query) => definitions.listDefinitionVersions(state, query),
    listDefinitions: async (query) => definitions.listDefinitions(state, query),
    countDefinitions: async (query) => definitions.countDefinitions(state, query),
    listDefinitionChanges: async (query) => definitions.listDefinitionChanges(state, query),
    appendLogs: async (lines) => logs.appendLogs(state, lines),
    readLogs: async (query) => logs.readLogs(state, query),
    appendAudit: async (entry) => audit.appendAudit(state, entry),
    readAudit: async (query) => audit.readAudit(state, query),
    // Rows are objects of this process: only rows that a caller sets aside are damaged.
    listDamagedRows: async (query) => damage.listDamagedRows(state, query),
    setAside: async (row) => damage.setAside(state, row),
    forgetDamagedRows: async (row) => damage.forgetDamagedRows(state, row),
    setStopped: async (params) => damage.setStopped(state, params),
    listStopped: async () => damage.listStopped(state),
    onDamaged: (listener) => {
      state.damagedListener = listener;
    },
    ensureSegments: async (query) => segments.ensureSegments(state, query),
    listSegments: async () => segments.listSegments(state),
    lastUsedSegment: async () => segments.lastUsedSegment(state),
    sealSegment: async (fromMs) => segments.sealSegment(state, fromMs),
    dropSegment: async (fromMs) => segments.dropSegment(state, fromMs),
    dropGroupsBefore: async (query) => groups.dropGroupsBefore(state, query),
    snapshot: () => toSnapshot(contents(state)),
  };
}
