import type { DamagedRow, FoundDamage, RowKind } from '../damage/damaged-rows.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import type { Context } from './context.ts';
import { deleteCheckpoint } from './sql/checkpoints/delete-checkpoint.ts';
import { deleteOlderCheckpoint } from './sql/checkpoints/delete-older-checkpoint.ts';
import { forgetDamagedRow } from './sql/damaged-rows/forget-damaged-row.ts';
import { forgetDamagedRows as forgetDamagedRowsSql } from './sql/damaged-rows/forget-damaged-rows.ts';
import { insertDamagedRow } from './sql/damaged-rows/insert-damaged-row.ts';
import { listDamagedRows as listDamagedRowsSql } from './sql/damaged-rows/list-damaged-rows.ts';
import { deleteInbox } from './sql/inbox/delete-inbox.ts';
import { releaseKeysOfEntry } from './sql/keys/release-keys-of-entry.ts';

/** Writes the damaged rows found so far. After a failure the next call writes them. */
export function writeDamagedRows({ db, damage, now }: Context): void {
  const rows = damage.take();
  if (rows.length === 0) return;
  try {
    db.write(() => {
      for (const { kind, key, partition, tenant, error, bytes } of rows) {
        db.run(insertDamagedRow, kind, key, partition, tenant, now(), error, bytes);
        if (kind === 'checkpoint') {
          // Its number cannot be relied on, and the next checkpoint has to be able to replace it.
          db.run(deleteCheckpoint, key);
          db.run(deleteOlderCheckpoint, key);
        }
        if (kind !== 'inbox') continue;
        // Left in the inbox it would be read with every page, and its key could never be used again.
        db.run(deleteInbox, key);
        db.run(releaseKeysOfEntry, key);
      }
    });
  } catch {
    damage.putBack(rows);
  }
}

export function setAside({ damage }: Context, row: FoundDamage): void {
  damage.add(row);
}

export function forgetDamagedRows(
  { db, damage }: Context,
  row: Parameters<Store['forgetDamagedRows']>[0],
): number {
  if (row !== null) requireTexts({ kind: row.kind, key: row.key });
  damage.forget(row);
  return db.write(() =>
    row === null ? db.run(forgetDamagedRowsSql) : db.run(forgetDamagedRow, row.kind, row.key),
  );
}

export function listDamagedRows(
  { db }: Context,
  { after, limit }: Parameters<Store['listDamagedRows']>[0],
): DamagedRow[] {
  return db.read(() =>
    db.all(listDamagedRowsSql, after?.kind ?? '', after?.key ?? '', limit).map((row) => ({
      kind: row['kind'] as RowKind,
      key: row['key'] as string,
      partition: row['partition'] as number | null,
      tenant: row['tenant'] as string | null,
      error: row['error'] as string,
      bytes: row['bytes'] as Uint8Array,
      atMs: row['at_ms'] as number,
    })),
  );
}
