import type { StoppedPartition } from '../contract/damaged-rows.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { deleteStopped } from './sql/stopped-partitions/delete-stopped.ts';
import { insertStopped } from './sql/stopped-partitions/insert-stopped.ts';
import { listStopped as listStoppedSql } from './sql/stopped-partitions/list-stopped.ts';

export async function setStopped(
  database: Database,
  { partition, error }: Parameters<Store['setStopped']>[0],
): Promise<void> {
  requireTexts({ error });
  const change =
    error === null
      ? step(deleteStopped(database.schema), 1, (writer) => writer.int4(partition))
      : step(insertStopped(database.schema), 2, (writer) => {
          writer.int4(partition);
          writer.text(error);
        });
  await database.query(change, 'repeatable');
}

export async function listStopped(database: Database): Promise<StoppedPartition[]> {
  const rows = await database.read<{ partition: number; at_ms: number; error: string }>(
    step(listStoppedSql(database.schema)),
  );
  return rows.map(({ partition, error, at_ms: atMs }) => ({ partition, error, atMs }));
}
