import { compareRunIds, formatRunId } from '@signalbox/engine';
import type { AuditRow } from './audit-chain.ts';
import { compareText } from './compare-text.ts';
import type { Checkpoint } from './contract/checkpoints.ts';
import type { InboxEntry } from './contract/inbox.ts';
import type { Group } from './contract/journal.ts';
import type { ReservedKey } from './contract/keys.ts';
import type { ParkedRow } from './contract/parked.ts';
import type { EndRow, RunRow } from './contract/runs.ts';
import type { Definition } from './definition.ts';
import type { Lease } from './lease.ts';
import { compareLogCursors, type LogLineRow } from './log-lines.ts';
import type { Segment } from './run-segment.ts';

/** Everything a store holds, as the rows of the interface and in any order. */
export interface StoreContents {
  readonly groups: readonly Group[];
  readonly checkpoints: readonly Checkpoint[];
  readonly leases: readonly Lease[];
  /** Nodes that are live by the store's clock. */
  readonly nodes: readonly { node: string; address: string }[];
  readonly runs: readonly RunRow[];
  readonly ends: readonly EndRow[];
  readonly parked: readonly (ParkedRow & { readonly partition: number })[];
  readonly keys: readonly { tenant: string; key: string; run: RunRow['id'] }[];
  /** Keys that inbox entries reserve. */
  readonly reserved: readonly ReservedKey[];
  readonly inbox: readonly InboxEntry[];
  readonly definitions: readonly Definition[];
  readonly logs: readonly LogLineRow[];
  readonly audit: readonly AuditRow[];
  readonly segments: readonly Segment[];
}

/** Plain JSON: an id is its text, bytes are hexadecimal, a run's place is its text as well. */
type Plain<T> = T extends RunRow['id']
  ? string
  : T extends Uint8Array
    ? string
    : T extends readonly (infer U)[]
      ? Plain<U>[]
      : T extends object
        ? { [K in keyof T]: Plain<T[K]> }
        : T;

/**
 * The canonical dump: two stores have the same contents exactly if their snapshots are deeply equal.
 * Checkers read it, and differential runs compare it.
 */
export type Snapshot = { readonly [K in keyof StoreContents]: Plain<StoreContents[K]> };

export function toSnapshot(contents: StoreContents): Snapshot {
  return {
    groups: sorted(contents.groups, (a, b) => a.partition - b.partition || a.seq - b.seq),
    checkpoints: sorted(contents.checkpoints, (a, b) => a.partition - b.partition),
    leases: sorted(contents.leases, (a, b) => a.partition - b.partition),
    nodes: sorted(contents.nodes, (a, b) => compareText(a.node, b.node)),
    runs: sorted(contents.runs, byTenantAndId),
    ends: sorted(contents.ends, byTenantAndId),
    parked: sorted(contents.parked, byLane),
    keys: sorted(contents.keys, byTenantAndKey),
    reserved: sorted(contents.reserved, byTenantAndKey),
    inbox: sorted(contents.inbox, (a, b) => compareText(a.id, b.id)),
    definitions: sorted(contents.definitions, byNameAndVersion),
    logs: sorted(contents.logs, (a, b) => compareRunIds(a.run, b.run) || compareLogCursors(a, b)),
    audit: sorted(contents.audit, (a, b) => compareText(a.tenant, b.tenant) || a.number - b.number),
    // The time of sealing depends on the clock of each store.
    segments: sorted(
      contents.segments.map(({ fromMs, toMs, sealed }) => ({ fromMs, toMs, sealed })),
      (a, b) => a.fromMs - b.fromMs,
    ),
  };
}

function byTenantAndKey(
  a: { tenant: string; key: string },
  b: { tenant: string; key: string },
): number {
  return compareText(a.tenant, b.tenant) || compareText(a.key, b.key);
}

type Parked = StoreContents['parked'][number];

function byTenantAndId(a: EndRow | RunRow, b: EndRow | RunRow): number {
  return compareText(a.tenant, b.tenant) || compareRunIds(a.id, b.id);
}

function byLane(a: Parked, b: Parked): number {
  return (
    a.partition - b.partition ||
    compareText(a.lane, b.lane) ||
    a.sort - b.sort ||
    compareRunIds(a.id, b.id)
  );
}

function byNameAndVersion(a: Definition, b: Definition): number {
  return (
    compareText(a.tenant, b.tenant) ||
    compareText(a.kind, b.kind) ||
    compareText(a.name, b.name) ||
    a.version - b.version
  );
}

function sorted<T>(rows: readonly T[], compare: (a: T, b: T) => number): Plain<T>[] {
  return rows.toSorted(compare).map((row) => toPlain(row) as Plain<T>);
}

const HEX: string[] = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

/** Any result of a store as plain JSON, with sorted property names. */
export function toPlain(value: unknown): unknown {
  if (value instanceof Uint8Array) return hex(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  if (isRunId(value)) return formatRunId(value);
  // Sorted names, so that the text of two equal snapshots is equal as well.
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, toPlain(field)]),
  );
}

function isRunId(value: object): value is RunRow['id'] {
  return 'ms' in value && 'partition' in value && 'seq' in value;
}

function hex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
}
