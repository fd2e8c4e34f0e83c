import { type Class, formatRunId, type RunId } from '@signalbox/engine';
import type { EndRow, RunRow } from '../../contract/runs.ts';
import { payloadChecksum } from '../../damage/checksum.ts';
import { type DamagedRows, type RowPlace, verify } from '../../damage/damaged-rows.ts';
import {
  endBlockChecksum,
  endChecksum,
  endsChecksum,
  inputsChecksum,
  runBlockChecksum,
  runChecksum,
} from '../../damage/row-checksums.ts';
import { readEndBlock, readRunBlock, readSizes } from '../row-blocks/read-row-blocks.ts';

/** A row of runs: one run, or a row block of `count` runs, whose inputs are in the body. */
export interface RunColumns {
  readonly id: RunId;
  readonly count: number | null;
  readonly tenant: string;
  readonly job: string;
  readonly job_version: number;
  readonly priority: number;
  readonly head: string;
  readonly input: Uint8Array | null;
  readonly input_bytes: number;
  readonly keys: string;
  readonly body: Uint8Array | null;
  readonly checksum: number | null;
  /** Of the input, or of the inputs in the body; null where they were not read. */
  readonly input_checksum: number | null;
}

/** A row of ends, in the same way. */
export interface EndColumns {
  readonly id: RunId;
  readonly count: number | null;
  readonly tenant: string;
  readonly state: string;
  readonly ended_at_ms: number;
  readonly detail: string;
  readonly output: Uint8Array | null;
  readonly body: Uint8Array | null;
  readonly checksum: number | null;
  /** Of the output, or of the body; null where the output was not read. */
  readonly output_checksum: number | null;
}

/** This and the function below throw if the row does not match its checksum. */
export function toRunRows(row: RunColumns, withInput = true): RunRow[] {
  const run = {
    id: row.id,
    tenant: row.tenant,
    job: row.job,
    jobVersion: row.job_version,
    class: row.priority as Class,
    head: row.head,
    input: row.input,
    inputBytes: row.input_bytes,
    keys: parseKeys(row.keys),
  };
  const { count, body, checksum, input_checksum: inputChecksum } = row;
  if (count === null || body === null) {
    verify(checksum, () => runChecksum(run, row.keys));
    if (withInput) verify(inputChecksum, () => payloadChecksum(run.input));
    return [run];
  }
  verify(checksum, () => runBlockChecksum(run, readSizes(body, count)));
  const runs = readRunBlock(run, { count, body, withInput });
  if (withInput) verify(inputChecksum, () => inputsChecksum(runs));
  return runs;
}

export function toEndRows(row: EndColumns, withOutput = true): EndRow[] {
  const { id, tenant, state, count, body } = row;
  const { checksum, output_checksum: outputChecksum } = row;
  if (count !== null && body !== null) {
    verify(checksum, () => endBlockChecksum({ id, tenant, state }, count));
    const ends = readEndBlock({ id, tenant, state }, { count, body });
    verify(outputChecksum, () => endsChecksum(ends));
    return ends;
  }
  const { ended_at_ms: endedAtMs, detail, output } = row;
  const end = { id, tenant, state, endedAtMs, detail, output };
  verify(checksum, () => endChecksum(end));
  if (withOutput) verify(outputChecksum, () => payloadChecksum(output));
  return [end];
}

/** The runs of a row; null where the row is damaged. */
export function readRunRows(
  damage: DamagedRows,
  row: RunColumns,
  withInput = true,
): RunRow[] | null {
  return damage.read(placeOf('run', row), row, () => toRunRows(row, withInput));
}

export function readEndRows(
  damage: DamagedRows,
  row: EndColumns,
  withOutput = true,
): EndRow[] | null {
  return damage.read(placeOf('end', row), row, () => toEndRows(row, withOutput));
}

function placeOf(kind: 'end' | 'run', { id, tenant }: RunColumns | EndColumns): RowPlace {
  return { kind, key: formatRunId(id), partition: id.partition, tenant };
}

/** One column for a list that is nearly always empty: '' then, which costs one byte. */
export function formatKeys(keys: readonly string[]): string {
  return keys.length === 0 ? '' : JSON.stringify(keys);
}

export function parseKeys(text: string): string[] {
  return text === '' ? [] : (JSON.parse(text) as string[]);
}
