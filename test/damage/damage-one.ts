import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RowKind } from '@signalbox/store';
import { damageBytes, damageValue, type Value, WAYS } from './damage-value.ts';
import type { Copy, Row } from './databases.ts';
import type { Random } from './random.ts';
import type { Table } from './tables.ts';

const UNUSED_IN_BLOCKS = new Set([
  ...['keys', 'input', 'input_bytes'],
  ...['ended_at_ms', 'detail', 'output'],
]);

/** What was damaged. */
export interface Damage {
  readonly table: Table;
  readonly row: Row;
  readonly column: string;
  readonly way: string;
  /** What it was changed to. */
  readonly value: Value;
}

/** Damages one value of one row, or one blob, and returns which. */
export async function damageOne(copy: Copy, random: Random, kind?: RowKind): Promise<Damage> {
  const kinds = [...new Set(copy.tables.map((table) => table.kind)), 'blob' as const];
  const wanted = kind ?? random.pick(kinds);
  if (wanted === 'blob') return damageBlob(copy, random);
  for (;;) {
    const table = random.pick(copy.tables.filter((each) => each.kind === wanted));
    const rows = await copy.rows(table);
    if (rows.length === 0) continue;
    const { table: name, row } = random.pick(rows);
    const column = random.pick(table.columns);
    const way = random.pick(WAYS);
    // In a row block its members have their own; these columns are not read.
    if (row['count'] != null && UNUSED_IN_BLOCKS.has(column)) continue;
    const before = row[column] as Value;
    const value =
      typeof before === 'number' && column === 'deleted' && way !== 'null'
        ? 1 - before
        : damageValue(before, way, random);
    if (before === null || isSame(before, value)) continue;
    const key = Object.fromEntries(table.key.map((part) => [part, row[part] as Value]));
    try {
      await copy.change({ table: name, key, column, value });
    } catch {
      // The database refuses the value: another one.
      continue;
    }
    return { table, row, column, way, value };
  }
}

const BLOBS: Table = { kind: 'blob', name: 'blobs', key: ['name'], columns: ['bytes'] };

function damageBlob({ dataDir }: Copy, random: Random): Damage {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => ({ name: file.name, path: join(file.parentPath, file.name) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const { name, path } = random.pick(files);
  const way = random.pick(WAYS.filter((each) => each !== 'null'));
  writeFileSync(path, damageBytes(readFileSync(path), way, random));
  return { table: BLOBS, row: { name }, column: 'bytes', way, value: null };
}

function isSame(a: Value, b: Value): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return a === b;
}
