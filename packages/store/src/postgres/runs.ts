import type { RunId } from '@signalbox/engine';
import type { RunRow, Store, StoredRun } from '../store.ts';
import { requireText, requireTexts } from '../validate-text.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { type EndColumns, type RunColumns, toRunRow, toStoredRun } from './rows/run-row.ts';
import { getRun as getRunSql } from './sql/get-run.ts';
import { listRuns as listRunsSql } from './sql/list-runs.ts';
import { readRun as readRunSql } from './sql/read-run.ts';

/** Above every id of this age of the world. */
const NO_CURSOR: RunId = { ms: 2 ** 48 - 1, partition: 0, seq: 0 };

export async function getRun(
  database: Database,
  query: { tenant: string; id: RunId },
): Promise<StoredRun | null> {
  requireText('tenant', query.tenant);
  const [row] = await database.read<RunColumns & EndColumns>(
    step(getRunSql(database.schema), 2, (writer) => {
      writer.text(query.tenant);
      writer.uuid(query.id);
    }),
  );
  return row === undefined ? null : toStoredRun(row);
}

export async function readRuns(
  database: Database,
  query: Parameters<Store['readRuns']>[0],
): Promise<RunRow[]> {
  for (const { tenant } of query.ids) requireText('tenant', tenant);
  if (query.ids.length === 0) return [];
  const rows = await database.read<RunColumns>(
    step(readRunSql(database.schema), 3, (writer) => {
      writer.texts(query.ids.map(({ tenant }) => tenant));
      writer.uuids(query.ids.map(({ id }) => id));
      writer.bool(query.withInput);
    }),
  );
  return rows.map(toRunRow);
}

export async function listRuns(
  database: Database,
  query: Parameters<Store['listRuns']>[0],
): Promise<StoredRun[]> {
  const { tenant, before, limit, job, ended } = query;
  requireTexts({ tenant, job });
  const rows = await database.read<RunColumns & EndColumns>(
    step(listRunsSql(database.schema), 5, (writer) => {
      writer.text(tenant);
      writer.uuid(before ?? NO_CURSOR);
      writer.nullableText(job ?? null);
      if (ended === undefined) writer.null();
      else writer.bool(ended);
      writer.int8(limit);
    }),
  );
  return rows.map(toStoredRun);
}
