import type { RunId } from '@signalbox/engine';
import {
  endBlockChecksum,
  endsChecksum,
  inputsChecksum,
  runBlockChecksum,
} from '../../damage/row-checksums.ts';
import type { EndRow, RunRow } from '../../store.ts';
import { Oid, type ValueWriter } from '../wire/value-writer.ts';
import type { Pack } from './cut-packs.ts';

export function bindRunPacks(w: ValueWriter, packs: readonly Pack<RunRow>[]): void {
  bindIds(w, packs);
  w.beginArray(Oid.bytea, packs.length);
  for (const pack of packs) writeRuns(w, pack);
  w.endArray();
  const firsts = packs.map(firstOf);
  w.texts(firsts.map(({ tenant }) => tenant));
  w.texts(firsts.map(({ job }) => job));
  w.int4s(firsts.map(({ jobVersion }) => jobVersion));
  w.int4s(firsts.map((run) => run.class));
  w.texts(firsts.map(({ head }) => head));
  w.int4s(packs.map((pack) => runBlockChecksum(firstOf(pack), sizesOf(pack))));
  w.int4s(packs.map((pack) => inputsChecksum(membersOf(pack))));
}

export function bindEndPacks(w: ValueWriter, packs: readonly Pack<EndRow>[]): void {
  bindIds(w, packs);
  w.beginArray(Oid.bytea, packs.length);
  for (const pack of packs) writeEnds(w, pack);
  w.endArray();
  const firsts = packs.map(firstOf);
  w.texts(firsts.map(({ tenant }) => tenant));
  w.texts(firsts.map(({ state }) => state));
  w.int4s(packs.map((pack) => endBlockChecksum(firstOf(pack), pack.to - pack.from)));
  w.int4s(packs.map((pack) => endsChecksum(membersOf(pack))));
}

function bindIds<Row extends { readonly id: RunId }>(
  w: ValueWriter,
  packs: readonly Pack<Row>[],
): void {
  w.uuids(packs.map((pack) => firstOf(pack).id));
  w.uuids(packs.map(({ rows, to }) => (rows[to - 1] as Row).id));
  w.int4s(packs.map(({ from, to }) => to - from));
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

function* membersOf<Row>({ rows, from, to }: Pack<Row>): Iterable<Row> {
  for (let i = from; i < to; i++) yield rows[i] as Row;
}

/** As `writeRuns` writes them. */
function sizesOf(pack: Pack<RunRow>): number[] {
  const sizes: number[] = [];
  for (const { input, inputBytes } of membersOf(pack)) sizes.push(inputBytes, input?.length ?? -1);
  return sizes;
}

function firstOf<Row>({ rows, from }: Pack<Row>): Row {
  return rows[from] as Row;
}
