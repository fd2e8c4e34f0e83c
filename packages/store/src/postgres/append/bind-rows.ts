import type { Commit, CommitPart, InboxEntry } from '../../store.ts';
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

export function bindRuns(w: ValueWriter, parts: Parts, count: number): void {
  w.beginArray(Oid.uuid, count);
  for (const { runs } of parts) for (const run of runs) w.uuid(run.id);
  w.endArray();
  w.beginArray(Oid.text, count);
  for (const { runs } of parts) for (const run of runs) w.text(run.tenant);
  w.endArray();
  w.beginArray(Oid.text, count);
  for (const { runs } of parts) for (const run of runs) w.text(run.job);
  w.endArray();
  w.beginArray(Oid.int4, count);
  for (const { runs } of parts) for (const run of runs) w.int4(run.jobVersion);
  w.endArray();
  w.beginArray(Oid.int2, count);
  for (const { runs } of parts) for (const run of runs) w.int2(run.class);
  w.endArray();
  w.beginArray(Oid.text, count);
  for (const { runs } of parts) for (const run of runs) w.text(run.head);
  w.endArray();
  w.beginArray(Oid.bytea, count);
  for (const { runs } of parts) for (const run of runs) w.nullableData(run.input);
  w.endArray();
  w.beginArray(Oid.int4, count);
  for (const { runs } of parts) for (const run of runs) w.int4(run.inputBytes);
  w.endArray();
}

export function bindKeyedRuns(w: ValueWriter, parts: Parts, count: number): void {
  bindRuns(w, parts, count);
  w.beginArray(Oid.text, count);
  for (const { runs } of parts) for (const run of runs) w.text(formatKeys(run.keys));
  w.endArray();
}

export function bindEnds(w: ValueWriter, parts: Parts, count: number): void {
  w.beginArray(Oid.uuid, count);
  for (const { ends } of parts) for (const end of ends) w.uuid(end.id);
  w.endArray();
  w.beginArray(Oid.text, count);
  for (const { ends } of parts) for (const end of ends) w.text(end.tenant);
  w.endArray();
  w.beginArray(Oid.text, count);
  for (const { ends } of parts) for (const end of ends) w.text(end.state);
  w.endArray();
  w.beginArray(Oid.int8, count);
  for (const { ends } of parts) for (const end of ends) w.int8(end.endedAtMs);
  w.endArray();
  w.beginArray(Oid.text, count);
  for (const { ends } of parts) for (const end of ends) w.text(end.detail);
  w.endArray();
  w.beginArray(Oid.bytea, count);
  for (const { ends } of parts) for (const end of ends) w.nullableData(end.output);
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
}

export function bindKeys(w: ValueWriter, parts: Parts, count: number): void {
  w.beginArray(Oid.text, count);
  for (const { runs } of parts)
    for (const run of runs) for (const _ of run.keys) w.text(run.tenant);
  w.endArray();
  w.beginArray(Oid.text, count);
  for (const { runs } of parts) for (const run of runs) for (const key of run.keys) w.text(key);
  w.endArray();
  w.beginArray(Oid.uuid, count);
  for (const { runs } of parts) for (const run of runs) for (const _ of run.keys) w.uuid(run.id);
  w.endArray();
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
}

export function bindInbox(w: ValueWriter, parts: Parts, count: number): void {
  w.beginArray(Oid.text, count);
  for (const { inboxTaken } of parts) for (const id of inboxTaken) w.text(id);
  w.endArray();
}
