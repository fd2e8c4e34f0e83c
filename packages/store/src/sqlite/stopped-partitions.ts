import type { StoppedPartition } from '../contract/damaged-rows.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import type { Context } from './context.ts';
import { deleteStopped } from './sql/stopped-partitions/delete-stopped.ts';
import { insertStopped } from './sql/stopped-partitions/insert-stopped.ts';
import { listStopped as listStoppedSql } from './sql/stopped-partitions/list-stopped.ts';

export function setStopped(
  { db, now }: Context,
  { partition, error }: Parameters<Store['setStopped']>[0],
): void {
  requireTexts({ error });
  db.write(() => {
    if (error === null) db.run(deleteStopped, partition);
    else db.run(insertStopped, partition, now(), error);
  });
}

export function listStopped({ db }: Context): StoppedPartition[] {
  return db.read(() =>
    db.all(listStoppedSql).map((row) => ({
      partition: row['partition'] as number,
      error: row['error'] as string,
      atMs: row['at_ms'] as number,
    })),
  );
}
