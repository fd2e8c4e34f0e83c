import { compareRunIds, formatRunId, type RunId } from '@signalbox/engine';
import type { AuditRow } from '../audit-chain.ts';
import { compareText } from '../compare-text.ts';
import type { Checkpoint } from '../contract/checkpoints.ts';
import type { StoppedPartition } from '../contract/damaged-rows.ts';
import type { InboxEntry } from '../contract/inbox.ts';
import type { Group } from '../contract/journal.ts';
import type { EndRow, RunRow } from '../contract/runs.ts';
import type { DamagedRow, FoundDamage } from '../damage/damaged-rows.ts';
import type { Definition } from '../definition.ts';
import type { Lease } from '../lease.ts';
import { compareLogCursors, type LogLineRow } from '../log-lines.ts';
import type { Segment } from '../run-segment.ts';
import type { StoredKey } from '../taken-keys.ts';
import { SortedList } from './sorted-list.ts';

/**
 * Everything the memory store holds. Methods change it in one synchronous stretch: every check
 * comes before the first change, so a refused call leaves nothing behind.
 * Composite map keys are joined by NUL, which no text contains, so two different keys never collide.
 */
export interface MemoryState {
  readonly now: () => number;
  readonly segmentMs: number;
  readonly groupSegmentSize: number;
  readonly leaseMsMax: number;
  readonly ownership: Map<number, Ownership>;
  readonly groups: Map<number, SortedList<Group>>;
  readonly checkpoints: Map<number, Checkpoint>;
  readonly nodes: Map<string, { address: string; expiresAtMs: number }>;
  /** By tenant, in order of id. */
  readonly runs: Map<string, SortedList<RunEntry>>;
  readonly keys: Map<string, KeyRow>;
  /** By partition and lane, in order of (sort, id). */
  readonly lanes: Map<string, Lane>;
  readonly inbox: Map<string, InboxEntry>;
  readonly inboxByPartition: Map<number, SortedList<InboxEntry>>;
  /** By tenant and kind, in order of name. */
  readonly definitions: Map<string, SortedList<DefinitionHistory>>;
  /** By the text of the run's id, in order of (task, attempt, number). */
  readonly logs: Map<string, RunLog>;
  /** By tenant: number n is at n - 1. */
  readonly audit: Map<string, AuditRow[]>;
  readonly segments: Map<number, Segment>;
  /** Dropped segments: creating one again would let a dropped run come back. */
  readonly droppedSegments: Set<number>;
  /** By kind and key. */
  readonly damagedRows: Map<string, DamagedRow>;
  readonly stopped: Map<number, StoppedPartition>;
  damagedListener: (row: FoundDamage) => void;
}

export interface KeyRow extends StoredKey {
  /** When a run that was stored before got the key; null for a run's own key. */
  readonly atMs: number | null;
}

export interface Ownership {
  readonly lease: Lease;
  /** Seq of the partition's last group, also when that group has been dropped. */
  readonly lastSeq: number;
}

/** A run and its end; either may be missing, because nothing forces the order of the two rows. */
export interface RunEntry {
  readonly id: RunId;
  run: RunRow | null;
  end: EndRow | null;
}

export interface Lane {
  readonly partition: number;
  readonly lane: string;
  readonly rows: SortedList<{ readonly sort: number; readonly id: RunId; readonly tenant: string }>;
}

export interface DefinitionHistory {
  readonly name: string;
  /** Oldest first: version n is at n - 1. */
  readonly versions: Definition[];
}

export interface RunLog {
  readonly id: RunId;
  readonly lines: SortedList<LogLineRow>;
}

export function newState(options: {
  now: () => number;
  segmentMs: number;
  groupSegmentSize: number;
  leaseMsMax: number;
}): MemoryState {
  return {
    ...options,
    ownership: new Map(),
    groups: new Map(),
    checkpoints: new Map(),
    nodes: new Map(),
    runs: new Map(),
    keys: new Map(),
    lanes: new Map(),
    inbox: new Map(),
    inboxByPartition: new Map(),
    definitions: new Map(),
    logs: new Map(),
    audit: new Map(),
    segments: new Map(),
    droppedSegments: new Set(),
    damagedRows: new Map(),
    stopped: new Map(),
    damagedListener: () => {},
  };
}

export function groupsOf(state: MemoryState, partition: number): SortedList<Group> {
  return getOrMake(state.groups, partition, () => new SortedList((a, b) => a.seq - b.seq));
}

export function runsOf(state: MemoryState, tenant: string): SortedList<RunEntry> {
  return getOrMake(state.runs, tenant, () => new SortedList((a, b) => compareRunIds(a.id, b.id)));
}

export function laneOf(state: MemoryState, partition: number, lane: string): Lane {
  return getOrMake(state.lanes, `${partition}\0${lane}`, () => ({
    partition,
    lane,
    rows: new SortedList((a, b) => a.sort - b.sort || compareRunIds(a.id, b.id)),
  }));
}

export function inboxOf(state: MemoryState, partition: number): SortedList<InboxEntry> {
  return getOrMake(state.inboxByPartition, partition, () => new SortedList(compareInbox));
}

export function compareInbox(a: InboxEntry, b: InboxEntry): number {
  return a.atMs - b.atMs || compareText(a.id, b.id);
}

export function definitionsOf(
  state: MemoryState,
  tenant: string,
  kind: string,
): SortedList<DefinitionHistory> {
  return getOrMake(
    state.definitions,
    `${tenant}\0${kind}`,
    () => new SortedList((a, b) => compareText(a.name, b.name)),
  );
}

export function logOf(state: MemoryState, id: RunId): RunLog {
  return getOrMake(state.logs, formatRunId(id), () => ({
    id,
    lines: new SortedList<LogLineRow>(compareLogCursors),
  }));
}

export function auditOf(state: MemoryState, tenant: string): AuditRow[] {
  return getOrMake(state.audit, tenant, () => []);
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
