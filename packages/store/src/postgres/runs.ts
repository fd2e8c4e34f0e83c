import { formatRunId, type RunId } from '@signalbox/engine';
import type { RunRow, StoredRun } from '../contract/runs.ts';
import { damaged } from '../damage/damaged-rows.ts';
import type { Store } from '../store.ts';
import { requireText } from '../validate-text.ts';
import { type Step, step } from './connection/step.ts';
import type { Database } from './database.ts';
import { blockCount } from './row-blocks/cut-row-blocks.ts';
import {
  bindSpans,
  compareTenantIds,
  floorOf,
  pickRequested,
  SPAN_PARAMETERS,
  type Span,
  spansOf,
  type TenantId,
} from './row-blocks/spans.ts';
import { type EndColumns, type RunColumns, readEndRows, readRunRows } from './rows/run-row.ts';
import { readDamagedRun } from './sql/damaged-rows/read-damaged-run.ts';
import { getEnd } from './sql/ends/get-end.ts';
import { getRun as getRunSql } from './sql/runs/get-run.ts';
import { readRuns as readRunsSql } from './sql/runs/read-runs.ts';

const NO_BYTES = new Uint8Array(0);

export async function getRun(
  database: Database,
  { tenant, id }: { tenant: string; id: RunId },
): Promise<StoredRun | null> {
  requireText('tenant', tenant);
  const readRun = step(getRunSql(database.schema), 3, (writer) => {
    writer.text(tenant);
    writer.uuid(id);
    writer.uuid(floorOf(id));
  });
  const readEnd = step(getEnd(database.schema), 2, (writer) => {
    writer.uuid(id);
    writer.uuid(floorOf(id));
  });
  const [runs, ends] = await database.pipeline(database.pool, [readRun, readEnd], 'none');
  const { damage } = database;
  const [runRow] = runs as unknown as RunColumns[];
  const [endRow] = ends as unknown as EndColumns[];
  const place = { kind: 'run', key: formatRunId(id), partition: id.partition, tenant } as const;
  const found = runRow === undefined ? [] : readRunRows(damage, runRow);
  const foundEnds = endRow === undefined ? [] : readEndRows(damage, endRow);
  const run = found?.find(isOf(id));
  const hasEnd = endRow !== undefined && endRow.tenant === tenant && mayCover(endRow, id);
  const isUnreadable = found === null && runRow !== undefined && mayCover(runRow, id);
  if (isUnreadable || (foundEnds === null && hasEnd)) throw damaged(place);
  if (run === undefined) {
    if (!hasEnd && !(await isSetAside(database, place))) return null;
    if (!hasEnd) throw damaged(place);
    // A run with an end existed: its row is missing or has a damaged key.
    damage.add({ ...place, error: 'the row is missing, and its end is there', bytes: NO_BYTES });
    throw damaged(place);
  }
  const end = foundEnds?.find(isOf(id));
  return { run, end: end?.tenant === tenant ? end : null };
}

/** Whether a take-over or a lane reported the row as missing. */
async function isSetAside(
  database: Database,
  { key, tenant }: { readonly key: string; readonly tenant: string },
): Promise<boolean> {
  const read = step(readDamagedRun(database.schema), 2, (writer) => {
    writer.text(key);
    writer.text(tenant);
  });
  return (await database.read(read)).length > 0;
}

export async function readRuns(
  database: Database,
  { ids, withInput }: Parameters<Store['readRuns']>[0],
): Promise<RunRow[]> {
  for (const { tenant } of ids) requireText('tenant', tenant);
  if (ids.length === 0) return [];
  const requested = ids.toSorted(compareTenantIds);
  const rows = await database.read<RunColumns>(
    readRunsStep(database, spansOf(requested), withInput),
  );
  return pickRuns(database, { rows, requested, withInput });
}

/** Of the rows that were found by spans the runs that were requested, in order. */
export function pickRuns(
  { damage }: Database,
  params: {
    readonly rows: readonly RunColumns[];
    readonly requested: readonly TenantId[];
    readonly withInput: boolean;
  },
): RunRow[] {
  const { rows, requested, withInput } = params;
  const found = rows
    .flatMap((row) => readRunRows(damage, row, withInput) ?? [])
    .sort(compareTenantIds);
  return pickRequested(found, requested);
}

export function readRunsStep(database: Database, spans: readonly Span[], withInput: boolean): Step {
  return step(readRunsSql(database.schema), SPAN_PARAMETERS + 1, (writer) => {
    bindSpans(writer, spans);
    writer.bool(withInput);
  });
}

/** The name of a run among runs of several tenants; includes the tenant (I19). */
export function nameOf(tenant: string, { ms, partition, seq }: RunId): string {
  return `${ms}.${partition}.${seq}.${tenant}`;
}

/** Whether a damaged row may contain the run: its count may be damaged. */
export function mayCover(
  row: { readonly id: RunId; readonly count: number | null },
  id: RunId,
): boolean {
  const { ms, partition, seq } = row.id;
  if (ms !== id.ms || partition !== id.partition) return false;
  return id.seq >= seq && id.seq < seq + blockCount(row.count);
}

function isOf(id: RunId): (row: { readonly id: RunId }) => boolean {
  return (row) => row.id.seq === id.seq && row.id.ms === id.ms && row.id.partition === id.partition;
}
