import type { InboxEntry } from '../../contract/inbox.ts';
import type { Commit, CommitPart } from '../../contract/journal.ts';
import type { EndRow, RunRow } from '../../contract/runs.ts';
import { payloadChecksum } from '../../damage/checksum.ts';
import {
  endChecksum,
  groupChecksum,
  inboxChecksum,
  keyChecksum,
  parkedChecksum,
  runChecksum,
} from '../../damage/row-checksums.ts';
import { type RequestedKey, reservedRun } from '../../taken-keys.ts';
import { formatKeys } from '../rows/run-row.ts';
import { Oid, type ValueWriter } from '../wire/value-writer.ts';

/*
 * Columns are written straight from the rows of the parts, in as many passes as there are columns:
 * no row is copied, and a pass reads one property of one shape.
 */

type Parts = readonly CommitPart[];

export function bindGroups(w: ValueWriter, { commitId, parts }: Commit): void {
  w.beginArray(Oid.int4, parts.length);
  for (const part of parts) w.int4(part.partition);
  w.endArray();
  w.beginArray(Oid.int8, parts.length);
  for (const part of parts) w.int8(part.seq);
  w.endArray();
  w.beginArray(Oid.int8, parts.length);
  for (const part of parts) w.int8(part.epoch);
  w.endArray();
  w.beginArray(Oid.int8, parts.length);
  for (const part of parts) w.int8(part.atMs);
  w.endArray();
  w.beginArray(Oid.int4, parts.length);
  for (const part of parts) w.int4(part.factCount);
  w.endArray();
  w.beginArray(Oid.bytea, parts.length);
  for (const part of parts) w.data(part.body);
  w.endArray();
  w.text(commitId);
}

export function bindGroupChecksums(w: ValueWriter, { commitId, parts }: Commit): void {
  w.int4s(parts.map((part) => groupChecksum({ ...part, commitId })));
}

/** A run whose job version and priority all runs of the commit share; else null. */
export function commonRun(runs: readonly RunRow[]): RunRow | null {
  const first = runs[0] as RunRow;
  for (const run of runs) {
    if (
      run.job !== first.job ||
      run.tenant !== first.tenant ||
      run.class !== first.class ||
      run.jobVersion !== first.jobVersion
    ) {
      return null;
    }
  }
  return first;
}

/** As `commonRun`, for ends. */
export function commonEnd(ends: readonly EndRow[]): EndRow | null {
  const first = ends[0] as EndRow;
  for (const end of ends) {
    if (end.state !== first.state || end.tenant !== first.tenant) return null;
  }
  return first;
}

interface RunColumns {
  readonly runs: readonly RunRow[];
  readonly common: RunRow | null;
}

export function bindRuns(w: ValueWriter, { runs, common }: RunColumns): void {
  w.beginArray(Oid.uuid, runs.length);
  for (const run of runs) w.uuid(run.id);
  w.endArray();
  w.beginArray(Oid.bytea, runs.length);
  for (const run of runs) w.nullableData(run.input);
  w.endArray();
  w.beginArray(Oid.int4, runs.length);
  for (const run of runs) w.int4(run.inputBytes);
  w.endArray();
  w.beginArray(Oid.text, runs.length);
  for (const run of runs) w.text(run.head);
  w.endArray();
  w.beginArray(Oid.int4, runs.length);
  for (const run of runs) w.int4(runChecksum(run, formatKeys(run.keys)));
  w.endArray();
  w.beginArray(Oid.int4, runs.length);
  for (const run of runs) w.int4(payloadChecksum(run.input));
  w.endArray();
  if (common === null) return bindMixedRuns(w, runs);
  w.text(common.tenant);
  w.text(common.job);
  w.int4(common.jobVersion);
  w.int2(common.class);
}

function bindMixedRuns(w: ValueWriter, runs: readonly RunRow[]): void {
  w.beginArray(Oid.text, runs.length);
  for (const run of runs) w.text(run.tenant);
  w.endArray();
  w.beginArray(Oid.text, runs.length);
  for (const run of runs) w.text(run.job);
  w.endArray();
  w.beginArray(Oid.int4, runs.length);
  for (const run of runs) w.int4(run.jobVersion);
  w.endArray();
  w.beginArray(Oid.int2, runs.length);
  for (const run of runs) w.int2(run.class);
  w.endArray();
}

export function bindKeyedRuns(w: ValueWriter, columns: RunColumns): void {
  bindRuns(w, columns);
  w.beginArray(Oid.text, columns.runs.length);
  for (const run of columns.runs) w.text(formatKeys(run.keys));
  w.endArray();
}

export function bindEnds(
  w: ValueWriter,
  { ends, common }: { ends: readonly EndRow[]; common: EndRow | null },
): void {
  w.beginArray(Oid.uuid, ends.length);
  for (const end of ends) w.uuid(end.id);
  w.endArray();
  w.beginArray(Oid.int8, ends.length);
  for (const end of ends) w.int8(end.endedAtMs);
  w.endArray();
  w.beginArray(Oid.text, ends.length);
  for (const end of ends) w.text(end.detail);
  w.endArray();
  w.beginArray(Oid.bytea, ends.length);
  for (const end of ends) w.nullableData(end.output);
  w.endArray();
  w.beginArray(Oid.int4, ends.length);
  for (const end of ends) w.int4(endChecksum(end));
  w.endArray();
  w.beginArray(Oid.int4, ends.length);
  for (const end of ends) w.int4(payloadChecksum(end.output));
  w.endArray();
  if (common !== null) {
    w.text(common.tenant);
    w.text(common.state);
    return;
  }
  w.beginArray(Oid.text, ends.length);
  for (const end of ends) w.text(end.tenant);
  w.endArray();
  w.beginArray(Oid.text, ends.length);
  for (const end of ends) w.text(end.state);
  w.endArray();
}

export function bindParked(w: ValueWriter, parts: Parts, count: number): void {
  w.beginArray(Oid.int4, count);
  for (const { partition, parked } of parts) for (const _ of parked) w.int4(partition);
  w.endArray();
  w.beginArray(Oid.text, count);
  for (const { parked } of parts) for (const row of parked) w.text(row.lane);
  w.endArray();
  w.beginArray(Oid.int8, count);
  for (const { parked } of parts) for (const row of parked) w.int8(row.sort);
  w.endArray();
  w.beginArray(Oid.text, count);
  for (const { parked } of parts) for (const row of parked) w.text(row.tenant);
  w.endArray();
  w.beginArray(Oid.uuid, count);
  for (const { parked } of parts) for (const row of parked) w.uuid(row.id);
  w.endArray();
  w.beginArray(Oid.int4, count);
  for (const { partition, parked } of parts) {
    for (const row of parked) w.int4(parkedChecksum(partition, row));
  }
  w.endArray();
}

/** Of a request mostly the first run alone has a key: they are gathered once, not in each pass. */
export function bindKeys(w: ValueWriter, requested: readonly RequestedKey[]): void {
  w.texts(requested.map(({ tenant }) => tenant));
  w.texts(requested.map(({ key }) => key));
  w.uuids(requested.map(({ run }) => run));
  w.beginArray(Oid.int4, requested.length);
  for (const { tenant, key, run, atMs } of requested) {
    w.int4(keyChecksum({ tenant, key, run, entry: null, atMs }));
  }
  w.endArray();
}

export function bindRequestedKeys(
  w: ValueWriter,
  requested: readonly RequestedKey[],
  entries: readonly string[],
): void {
  bindKeys(w, requested);
  w.beginArray(Oid.int8, requested.length);
  for (const { atMs } of requested) {
    if (atMs === null) w.null();
    else w.int8(atMs);
  }
  w.endArray();
  w.texts(entries);
}

/** Few commits put anything into the inbox: a statement for each entry is simple and enough. */
export function bindEntry(w: ValueWriter, entry: InboxEntry): void {
  w.text(entry.id);
  w.int4(entry.partition);
  w.text(entry.tenant);
  w.text(entry.job);
  w.int2(entry.class);
  w.text(entry.head);
  w.nullableData(entry.input);
  w.nullableText(entry.key);
  w.int8(entry.atMs);
  const run = reservedRun(entry);
  w.uuid(run);
  w.int4(inboxChecksum(entry));
  const { id, tenant, key } = entry;
  w.int4(keyChecksum({ tenant, key: key ?? '', run, entry: id, atMs: null }));
  w.text(entry.kind);
}

export function bindAliases(w: ValueWriter, parts: Parts, count: number): void {
  w.beginArray(Oid.text, count);
  for (const { aliases } of parts) for (const alias of aliases) w.text(alias.tenant);
  w.endArray();
  w.beginArray(Oid.text, count);
  for (const { aliases } of parts) for (const alias of aliases) w.text(alias.key);
  w.endArray();
  w.beginArray(Oid.uuid, count);
  for (const { aliases } of parts) for (const alias of aliases) w.uuid(alias.run);
  w.endArray();
  w.beginArray(Oid.int8, count);
  for (const { aliases, atMs } of parts) for (const _ of aliases) w.int8(atMs);
  w.endArray();
  w.beginArray(Oid.int4, count);
  for (const { aliases, atMs } of parts) {
    for (const { tenant, key, run } of aliases) {
      w.int4(keyChecksum({ tenant, key, run, entry: null, atMs }));
    }
  }
  w.endArray();
}

export function bindInbox(w: ValueWriter, parts: Parts, count: number): void {
  w.beginArray(Oid.text, count);
  for (const { inboxTaken } of parts) for (const id of inboxTaken) w.text(id);
  w.endArray();
}
