import type { DamagedRow, FoundDamage, RowKind } from '../damage/damaged-rows.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { forgetDamagedRows as forgetDamagedRowsSql } from './sql/damaged-rows/forget-damaged-rows.ts';
import { insertDamagedRow } from './sql/damaged-rows/insert-damaged-row.ts';
import { listDamagedRows as listDamagedRowsSql } from './sql/damaged-rows/list-damaged-rows.ts';

/** Writes the damaged rows found so far. After a failure the next call writes them. */
export async function writeDamagedRows(database: Database): Promise<void> {
  const rows = database.damage.take();
  for (const [i, row] of rows.entries()) {
    try {
      await database.query(insertStep(database, row), 'repeatable');
    } catch {
      database.damage.putBack(rows.slice(i));
      return;
    }
  }
}

function insertStep(database: Database, row: FoundDamage) {
  return step(insertDamagedRow(database.schema), 6, (writer) => {
    writer.text(row.kind);
    writer.text(row.key);
    if (row.partition === null) writer.null();
    else writer.int4(row.partition);
    writer.nullableText(row.tenant);
    writer.text(row.error);
    writer.data(row.bytes);
  });
}

interface DamagedColumns {
  readonly kind: string;
  readonly key: string;
  readonly partition: number | null;
  readonly tenant: string | null;
  readonly at_ms: number;
  readonly error: string;
  readonly bytes: Uint8Array;
}

export async function listDamagedRows(
  database: Database,
  { after, limit }: Parameters<Store['listDamagedRows']>[0],
): Promise<DamagedRow[]> {
  const rows = await database.read<DamagedColumns>(
    step(listDamagedRowsSql(database.schema), 3, (writer) => {
      writer.text(after?.kind ?? '');
      writer.text(after?.key ?? '');
      writer.int8(limit);
    }),
  );
  return rows.map(({ kind, at_ms: atMs, ...row }) => ({ ...row, kind: kind as RowKind, atMs }));
}

export async function forgetDamagedRows(
  database: Database,
  row: Parameters<Store['forgetDamagedRows']>[0],
): Promise<number> {
  const { kind = null, key = null } = row ?? {};
  requireTexts({ kind, key });
  database.damage.forget(row);
  const forget = step(forgetDamagedRowsSql(database.schema), 2, (writer) => {
    writer.nullableText(kind);
    writer.nullableText(key);
  });
  return (await database.query(forget, 'once')).length;
}
