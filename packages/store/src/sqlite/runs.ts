import type { SQLInputValue } from 'node:sqlite';
import type { RunId } from '@signalbox/engine';
import type { RunRow, Store, StoredRun } from '../store.ts';
import { requireText, requireTexts } from '../validate-text.ts';
import type { Context } from './context.ts';
import { idBytes, toEnd, toRun } from './rows.ts';
import { getRun as getRunSql } from './sql/get-run.ts';
import { listRuns as listRunsSql } from './sql/list-runs.ts';
import { readRun } from './sql/read-run.ts';

/** Above every id: the version bits of a run's id keep it below. */
const END_OF_IDS = new Uint8Array(16).fill(255);

export function getRun(context: Context, query: { tenant: string; id: RunId }): StoredRun | null {
  requireText('tenant', query.tenant);
  return context.db.read(() => {
    context.catalog.refresh();
    return findRun(context, query);
  });
}

/** I19: the tenant is part of the key that is searched. To be called inside a transaction. */
export function findRun(
  { db, catalog }: Context,
  at: { tenant: string; id: RunId },
  withInput = true,
): StoredRun | null {
  const segment = catalog.find(at.id.ms);
  if (segment === null) return null;
  const row = db.get(getRunSql(segment, withInput), at.tenant, idBytes(at.id));
  return row === undefined ? null : { run: toRun(row), end: toEnd(row) };
}

export function readRuns(
  { db, catalog }: Context,
  query: Parameters<Store['readRuns']>[0],
): RunRow[] {
  for (const { tenant } of query.ids) requireText('tenant', tenant);
  return db.read(() => {
    catalog.refresh();
    return query.ids.flatMap(({ tenant, id }) => {
      const segment = catalog.find(id.ms);
      if (segment === null) return [];
      const row = db.get(readRun(segment, query.withInput), tenant, idBytes(id));
      return row === undefined ? [] : [toRun(row)];
    });
  });
}

export function listRuns(
  { db, catalog }: Context,
  query: Parameters<Store['listRuns']>[0],
): StoredRun[] {
  const { tenant, before, limit, job, ended, withPayloads = true } = query;
  requireTexts({ tenant, job });
  const border = before === null ? END_OF_IDS : idBytes(before);
  const filter = { job: job !== undefined, ...(ended === undefined ? {} : { ended }) };
  return db.read(() => {
    catalog.refresh();
    const found: StoredRun[] = [];
    for (const { number, fromMs } of catalog.list().reverse()) {
      if (found.length >= limit) break;
      if (before !== null && fromMs > before.ms) continue;
      const values: SQLInputValue[] = [tenant, border];
      if (job !== undefined) values.push(job);
      values.push(limit - found.length);
      for (const row of db.all(listRunsSql(number, filter, withPayloads), ...values)) {
        found.push({ run: toRun(row), end: toEnd(row) });
      }
    }
    return found;
  });
}
