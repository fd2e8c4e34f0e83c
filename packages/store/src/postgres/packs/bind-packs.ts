import type { RunId } from '@signalbox/engine';
import type { EndRow, RunRow } from '../../store.ts';
import { Oid, type ValueWriter } from '../wire/value-writer.ts';
import type { Pack } from './cut-packs.ts';

export function bindRunPacks(w: ValueWriter, packs: readonly Pack<RunRow>[]): void {
  bindIds(w, packs);
  w.beginArray(Oid.bytea, packs.length);
  for (const pack of packs) writeRuns(w, pack);
  w.endArray();
  w.beginArray(Oid.text, packs.length);
  for (const pack of packs) w.text(firstOf(pack).tenant);
  w.endArray();
  w.beginArray(Oid.text, packs.length);
  for (const pack of packs) w.text(firstOf(pack).job);
  w.endArray();
  w.beginArray(Oid.int4, packs.length);
  for (const pack of packs) w.int4(firstOf(pack).jobVersion);
  w.endArray();
  w.beginArray(Oid.int2, packs.length);
  for (const pack of packs) w.int2(firstOf(pack).class);
  w.endArray();
  w.beginArray(Oid.text, packs.length);
  for (const pack of packs) w.text(firstOf(pack).head);
  w.endArray();
}

export function bindEndPacks(w: ValueWriter, packs: readonly Pack<EndRow>[]): void {
  bindIds(w, packs);
  w.beginArray(Oid.bytea, packs.length);
  for (const pack of packs) writeEnds(w, pack);
  w.endArray();
  w.beginArray(Oid.text, packs.length);
  for (const pack of packs) w.text(firstOf(pack).tenant);
  w.endArray();
  w.beginArray(Oid.text, packs.length);
  for (const pack of packs) w.text(firstOf(pack).state);
  w.endArray();
}

function bindIds<Row extends { readonly id: RunId }>(
  w: ValueWriter,
  packs: readonly Pack<Row>[],
): void {
  w.beginArray(Oid.uuid, packs.length);
  for (const pack of packs) w.uuid(firstOf(pack).id);
  w.endArray();
  w.beginArray(Oid.uuid, packs.length);
  for (const { rows, to } of packs) w.uuid((rows[to - 1] as Row).id);
  w.endArray();
  w.beginArray(Oid.int4, packs.length);
  for (const { from, to } of packs) w.int4(to - from);
  w.endArray();
}

/**
 * Sizes first: who reads rows without inputs fetches only them. An input that is kept elsewhere has
 * a size and no bytes here.
 */
function writeRuns(w: ValueWriter, { rows, from, to }: Pack<RunRow>): void {
  w.beginData();
  for (let i = from; i < to; i++) {
    const { input, inputBytes } = rows[i] as RunRow;
    w.number(inputBytes);
    w.number(input?.length ?? -1);
  }
  for (let i = from; i < to; i++) {
    const { input } = rows[i] as RunRow;
    if (input !== null) w.bare(input);
  }
  w.endData();
}

/** Each end as three values in the form in which values travel: a length and that many bytes. */
function writeEnds(w: ValueWriter, { rows, from, to }: Pack<EndRow>): void {
  w.beginData();
  for (let i = from; i < to; i++) {
    const { endedAtMs, detail, output } = rows[i] as EndRow;
    w.int8(endedAtMs);
    w.text(detail);
    w.nullableData(output);
  }
  w.endData();
}

function firstOf<Row>({ rows, from }: Pack<Row>): Row {
  return rows[from] as Row;
}
