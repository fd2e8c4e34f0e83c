import type { StoppedPartition, Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import type { Context } from './context.ts';
import { DELETE_STOPPED, INSERT_STOPPED, LIST_STOPPED } from './sql/stopped-partitions.ts';

export function setStopped(
  { db, now }: Context,
  { partition, error }: Parameters<Store['setStopped']>[0],
): void {
  requireTexts({ error });
  db.write(() => {
    if (error === null) db.run(DELETE_STOPPED, partition);
    else db.run(INSERT_STOPPED, partition, now(), error);
  });
}

export function listStopped({ db }: Context): StoppedPartition[] {
  return db.read(() =>
    db.all(LIST_STOPPED).map((row) => ({
      partition: row['partition'] as number,
      error: row['error'] as string,
      atMs: row['at_ms'] as number,
    })),
  );
}
