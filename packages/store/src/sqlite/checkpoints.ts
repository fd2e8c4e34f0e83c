import { verify } from '../damage/damaged-rows.ts';
import { checkpointChecksum } from '../damage/row-checksums.ts';
import type { Checkpoint } from '../store.ts';
import type { Context } from './context.ts';
import {
  KEEP_OLDER_CHECKPOINT,
  KEEP_OLDER_CHUNKS,
  READ_CHECKPOINT,
  READ_OLDER_CHECKPOINT,
  WRITE_CHECKPOINT,
} from './sql/checkpoint.ts';
import {
  DELETE_CHUNKS,
  DELETE_OLDER_CHUNKS,
  INSERT_CHUNK,
  READ_CHUNKS,
  READ_OLDER_CHUNKS,
} from './sql/checkpoint-chunks.ts';
import { READ_PARTITION } from './sql/read-partition.ts';

/** The checkpoint before stays as well: if one of them is damaged, the other is read. */
export function writeCheckpoint({ db }: Context, checkpoint: Checkpoint): boolean {
  const { partition, epoch, seq, chunks } = checkpoint;
  return db.write(() => {
    if (db.get(READ_PARTITION, partition)?.['epoch'] !== epoch) return false;
    const stored = db.get(READ_CHECKPOINT, partition);
    if (stored !== undefined && (stored['seq'] as number) >= seq) return false;
    if (stored !== undefined) {
      db.run(KEEP_OLDER_CHECKPOINT, partition);
      db.run(DELETE_OLDER_CHUNKS, partition);
      db.run(KEEP_OLDER_CHUNKS, partition);
    }
    db.run(WRITE_CHECKPOINT, partition, epoch, seq, checkpointChecksum(checkpoint));
    db.run(DELETE_CHUNKS, partition);
    for (const [number, bytes] of chunks.entries()) db.run(INSERT_CHUNK, partition, number, bytes);
    return true;
  });
}

export function readCheckpoint(context: Context, partition: number): Checkpoint | null {
  const { db } = context;
  return db.read(() => {
    const newest = readOne(context, partition, { head: READ_CHECKPOINT, chunks: READ_CHUNKS });
    if (newest !== 'damaged' && newest !== null) return newest;
    const older = { head: READ_OLDER_CHECKPOINT, chunks: READ_OLDER_CHUNKS };
    const before = readOne(context, partition, older);
    return before === 'damaged' ? null : before;
  });
}

function readOne(
  { db, damage }: Context,
  partition: number,
  sql: { head: string; chunks: string },
): Checkpoint | null | 'damaged' {
  const row = db.get(sql.head, partition);
  if (row === undefined) return null;
  const chunks = db.all(sql.chunks, partition).map((chunk) => chunk['bytes'] as Uint8Array);
  const checkpoint = {
    partition,
    epoch: row['epoch'] as number,
    seq: row['seq'] as number,
    chunks,
  };
  const key = `${partition}/${checkpoint.seq}`;
  const place = { kind: 'checkpoint', key, partition, tenant: null } as const;
  return (
    damage.read(place, { ...row, chunks }, () => {
      verify(row['checksum'] as number | null, () => checkpointChecksum(checkpoint));
      return checkpoint;
    }) ?? 'damaged'
  );
}
