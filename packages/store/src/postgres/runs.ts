import type { RunId } from '@signalbox/engine';
import type { RunRow, Store, StoredRun } from '../store.ts';
import { requireText } from '../validate-text.ts';
import { type Step, step } from './connection/step.ts';
import type { Database } from './database.ts';
import {
  bindSpans,
  compareTenantIds,
  floorOf,
  pickWanted,
  SPAN_PARAMETERS,
  type Span,
  spansOf,
  type TenantId,
} from './packs/spans.ts';
import { type EndColumns, type RunColumns, toEndRows, toRunRows } from './rows/run-row.ts';
import { getEnd, getRun as getRunSql } from './sql/get-run.ts';
import { readRuns as readRunsSql } from './sql/read-runs.ts';

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
  const run = (runs as unknown as RunColumns[]).flatMap((row) => toRunRows(row)).find(isOf(id));
  if (run === undefined) return null;
  const end = (ends as unknown as EndColumns[]).flatMap(toEndRows).find(isOf(id));
  return { run, end: end?.tenant === tenant ? end : null };
}

export async function readRuns(
  database: Database,
  { ids, withInput }: Parameters<Store['readRuns']>[0],
): Promise<RunRow[]> {
  for (const { tenant } of ids) requireText('tenant', tenant);
  if (ids.length === 0) return [];
  const wanted = ids.toSorted(compareTenantIds);
  const rows = await database.read<RunColumns>(readRunsStep(database, spansOf(wanted), withInput));
  return pickRuns(rows, wanted, withInput);
}

/** Of the rows that were found by spans the runs that were wanted, in order. */
export function pickRuns(
  rows: readonly RunColumns[],
  wanted: readonly TenantId[],
  withInput: boolean,
): RunRow[] {
  const found = rows.flatMap((row) => toRunRows(row, withInput)).sort(compareTenantIds);
  return pickWanted(found, wanted);
}

export function readRunsStep(database: Database, spans: readonly Span[], withInput: boolean): Step {
  return step(readRunsSql(database.schema), SPAN_PARAMETERS + 1, (writer) => {
    bindSpans(writer, spans);
    writer.bool(withInput);
  });
}

/** A run among those of others: the tenant is part of what is asked for (I19). */
export function nameOf(tenant: string, { ms, partition, seq }: RunId): string {
  return `${ms}.${partition}.${seq}.${tenant}`;
}

function isOf(id: RunId): (row: { readonly id: RunId }) => boolean {
  return (row) => row.id.seq === id.seq && row.id.ms === id.ms && row.id.partition === id.partition;
}
