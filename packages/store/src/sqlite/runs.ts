import type { SQLInputValue } from 'node:sqlite';
import { formatRunId, type RunId } from '@signalbox/engine';
import type { RunRow, StoredRun } from '../contract/runs.ts';
import { damaged } from '../damage/damaged-rows.ts';
import { storedRunBytes, withinBytes } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { requireText, requireTexts } from '../validate-text.ts';
import type { Context } from './context.ts';
import { readListedRun, readRunRow, readStoredRun } from './read-row.ts';
import { idBytes } from './rows.ts';
import { readDamagedRun } from './sql/damaged-rows/read-damaged-run.ts';
import { readEndTenant } from './sql/ends/read-end-tenant.ts';
import { getRun as getRunSql } from './sql/runs/get-run.ts';
import { listRuns as listRunsSql } from './sql/runs/list-runs.ts';
import { readRun } from './sql/runs/read-run.ts';

/** Above every id: the version bits of a run's id keep it below. */
const END_OF_IDS = new Uint8Array(16).fill(255);
const NO_BYTES = new Uint8Array(0);
const START_OF_IDS = new Uint8Array(16);

export function getRun(context: Context, query: { tenant: string; id: RunId }): StoredRun | null {
  requireText('tenant', query.tenant);
  return context.db.read(() => {
    context.catalog.refresh();
    const run = findRun(context, query);
    if (run === 'damaged') {
      const key = formatRunId(query.id);
      throw damaged({ kind: 'run', key, partition: query.id.partition, tenant: query.tenant });
    }
    return run;
  });
}

/** I19: the tenant is part of the key that is searched. To be called inside a transaction. */
export function findRun(
  context: Context,
  at: { tenant: string; id: RunId },
  withInput = true,
): StoredRun | null | 'damaged' {
  const { db, catalog } = context;
  const segment = catalog.find(at.id.ms);
  if (segment === null) return null;
  const row = db.get(getRunSql(segment, withInput), at.tenant, idBytes(at.id));
  if (row !== undefined) return readStoredRun(context, row) ?? 'damaged';
  return missingRun(context, at, segment);
}

/**
 * A run with an end existed: its row is missing or has a damaged key. The same holds for a run that a
 * take-over or a lane reported as missing.
 */
function missingRun(
  { db, damage }: Context,
  { tenant, id }: { tenant: string; id: RunId },
  segment: number,
): null | 'damaged' {
  const key = formatRunId(id);
  if (db.get(readEndTenant(segment), idBytes(id))?.['tenant'] !== tenant) {
    return db.get(readDamagedRun, key, tenant) === undefined ? null : 'damaged';
  }
  damage.add({
    ...{ kind: 'run', key, partition: id.partition, tenant },
    ...{ error: 'the row is missing, and its end is there', bytes: NO_BYTES },
  });
  return 'damaged';
}

export function readRuns(context: Context, query: Parameters<Store['readRuns']>[0]): RunRow[] {
  const { db, catalog } = context;
  for (const { tenant } of query.ids) requireText('tenant', tenant);
  return db.read(() => {
    catalog.refresh();
    return query.ids.flatMap(({ tenant, id }) => {
      const segment = catalog.find(id.ms);
      if (segment === null) return [];
      const row = db.get(readRun(segment, query.withInput), tenant, idBytes(id));
      return row === undefined ? [] : (readRunRow(context, row) ?? []);
    });
  });
}

export function listRuns(context: Context, query: Parameters<Store['listRuns']>[0]): StoredRun[] {
  requireTexts({ tenant: query.tenant, job: query.job });
  return context.db.read(() => {
    context.catalog.refresh();
    return withinBytes(newestFirst(context, query), query.bytes, storedRunBytes);
  });
}

function* newestFirst(
  context: Context,
  query: Parameters<Store['listRuns']>[0],
): Generator<StoredRun> {
  const { db, catalog } = context;
  const { tenant, before, from, limit, job, ended, withPayloads = true } = query;
  const border = before === null ? END_OF_IDS : idBytes(before);
  const start = from === undefined ? START_OF_IDS : idBytes(from);
  const filter = { job: job !== undefined, ...(ended === undefined ? {} : { ended }) };
  let left = limit;
  for (const { number, fromMs, toMs } of catalog.list().reverse()) {
    if (left <= 0) return;
    if (from !== undefined && toMs <= from.ms) return;
    if (before !== null && fromMs > before.ms) continue;
    const values: SQLInputValue[] = [tenant, border, start];
    if (job !== undefined) values.push(job);
    values.push(left);
    for (const row of db.each(listRunsSql(number, filter, withPayloads), ...values)) {
      left--;
      yield readListedRun(context, row);
    }
  }
}
