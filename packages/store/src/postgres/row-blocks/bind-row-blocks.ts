import type { RunId } from '@signalbox/engine';
import type { EndRow, RunRow } from '../../contract/runs.ts';
import {
  endBlockChecksum,
  endsChecksum,
  inputsChecksum,
  runBlockChecksum,
} from '../../damage/row-checksums.ts';
import { Oid, type ValueWriter } from '../wire/value-writer.ts';
import type { RowBlock } from './cut-row-blocks.ts';

export function bindRunBlocks(w: ValueWriter, blocks: readonly RowBlock<RunRow>[]): void {
  bindIds(w, blocks);
  w.beginArray(Oid.bytea, blocks.length);
  for (const block of blocks) writeRuns(w, block);
  w.endArray();
  const firsts = blocks.map(firstOf);
  w.texts(firsts.map(({ tenant }) => tenant));
  w.texts(firsts.map(({ job }) => job));
  w.int4s(firsts.map(({ jobVersion }) => jobVersion));
  w.int4s(firsts.map((run) => run.class));
  w.texts(firsts.map(({ head }) => head));
  w.int4s(blocks.map((block) => runBlockChecksum(firstOf(block), sizesOf(block))));
  w.int4s(blocks.map((block) => inputsChecksum(membersOf(block))));
}

export function bindEndBlocks(w: ValueWriter, blocks: readonly RowBlock<EndRow>[]): void {
  bindIds(w, blocks);
  w.beginArray(Oid.bytea, blocks.length);
  for (const block of blocks) writeEnds(w, block);
  w.endArray();
  const firsts = blocks.map(firstOf);
  w.texts(firsts.map(({ tenant }) => tenant));
  w.texts(firsts.map(({ state }) => state));
  w.int4s(blocks.map((block) => endBlockChecksum(firstOf(block), block.to - block.from)));
  w.int4s(blocks.map((block) => endsChecksum(membersOf(block))));
}

function bindIds<Row extends { readonly id: RunId }>(
  w: ValueWriter,
  blocks: readonly RowBlock<Row>[],
): void {
  w.uuids(blocks.map((block) => firstOf(block).id));
  w.uuids(blocks.map(({ rows, to }) => (rows[to - 1] as Row).id));
  w.int4s(blocks.map(({ from, to }) => to - from));
}

/**
 * Sizes first, so that rows can be read without inputs. An input that is stored elsewhere has a size and
 * no bytes here.
 */
function writeRuns(w: ValueWriter, { rows, from, to }: RowBlock<RunRow>): void {
  w.beginData();
  for (let i = from; i < to; i++) {
    const { input, inputBytes } = rows[i] as RunRow;
    w.number(inputBytes);
    w.number(input?.length ?? -1);
  }
  for (let i = from; i < to; i++) {
    const { input } = rows[i] as RunRow;
    if (input !== null) w.rawBytes(input);
  }
  w.endData();
}

/** Each end as three values in the wire format of values: a length and that many bytes. */
function writeEnds(w: ValueWriter, { rows, from, to }: RowBlock<EndRow>): void {
  w.beginData();
  for (let i = from; i < to; i++) {
    const { endedAtMs, detail, output } = rows[i] as EndRow;
    w.int8(endedAtMs);
    w.text(detail);
    w.nullableData(output);
  }
  w.endData();
}

function* membersOf<Row>({ rows, from, to }: RowBlock<Row>): Iterable<Row> {
  for (let i = from; i < to; i++) yield rows[i] as Row;
}

/** As `writeRuns` writes them. */
function sizesOf(block: RowBlock<RunRow>): number[] {
  const sizes: number[] = [];
  for (const { input, inputBytes } of membersOf(block)) sizes.push(inputBytes, input?.length ?? -1);
  return sizes;
}

function firstOf<Row>({ rows, from }: RowBlock<Row>): Row {
  return rows[from] as Row;
}
