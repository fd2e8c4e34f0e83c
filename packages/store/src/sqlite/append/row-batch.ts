import type { SQLInputValue } from 'node:sqlite';
import { type RunId, writeRunId } from '@signalbox/engine';
import type { Database } from '../database.ts';

/** Rows per statement: fewer calls into SQLite, and still short statements. Measured from 1 to 50. */
const BATCH_ROWS = 10;

/** One reusable id per row of a batch: SQLite copies bound values, so no id is allocated per row. */
const ids = Array.from({ length: BATCH_ROWS }, () => new Uint8Array(16));

export function scratchId(index: number, id: RunId): Uint8Array {
  const bytes = ids[index] as Uint8Array;
  writeRunId(bytes, 0, id.ms, id.partition, id.seq);
  return bytes;
}

export interface BatchTable<T> {
  readonly sql: (rowCount: number) => string;
  /** Adds the values of one row; `index` is its place in the batch, for `scratchId`. */
  readonly bind: (values: SQLInputValue[], row: T, index: number) => void;
}

/** Writes in statements of many rows, and the rest one by one; returns how many rows changed. */
export function writeInBatches<T>(db: Database, rows: readonly T[], table: BatchTable<T>): number {
  const batchSql = rows.length >= BATCH_ROWS ? table.sql(BATCH_ROWS) : '';
  const singleSql = table.sql(1);
  let changed = 0;
  let start = 0;
  while (start < rows.length) {
    const count = rows.length - start >= BATCH_ROWS ? BATCH_ROWS : 1;
    const values: SQLInputValue[] = [];
    for (let i = 0; i < count; i++) table.bind(values, rows[start + i] as T, i);
    changed += db.runAll(count === 1 ? singleSql : batchSql, values);
    start += count;
  }
  return changed;
}
