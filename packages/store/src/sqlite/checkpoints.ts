import type { Checkpoint } from '../contract/checkpoints.ts';
import { verify } from '../damage/damaged-rows.ts';
import { checkpointChecksum } from '../damage/row-checksums.ts';
import type { Context } from './context.ts';
import { dropCheckpointChunks } from './sql/checkpoint-chunks/drop-checkpoint-chunks.ts';
import { dropOlderCheckpointChunks } from './sql/checkpoint-chunks/drop-older-checkpoint-chunks.ts';
import { keepOlderCheckpointChunks } from './sql/checkpoint-chunks/keep-older-checkpoint-chunks.ts';
import { readCheckpointChunks } from './sql/checkpoint-chunks/read-checkpoint-chunks.ts';
import { readOlderCheckpointChunks } from './sql/checkpoint-chunks/read-older-checkpoint-chunks.ts';
import { writeCheckpointChunk } from './sql/checkpoint-chunks/write-checkpoint-chunk.ts';
import { keepOlderCheckpoint } from './sql/checkpoints/keep-older-checkpoint.ts';
import { readCheckpoint as readCheckpointSql } from './sql/checkpoints/read-checkpoint.ts';
import { readOlderCheckpoint } from './sql/checkpoints/read-older-checkpoint.ts';
import { writeCheckpoint as writeCheckpointSql } from './sql/checkpoints/write-checkpoint.ts';
import { readLease } from './sql/leases/read-lease.ts';

/** The checkpoint before stays as well: if one of them is damaged, the other is read. */
export function writeCheckpoint({ db }: Context, checkpoint: Checkpoint): boolean {
  const { partition, epoch, seq, chunks } = checkpoint;
  return db.write(() => {
    if (db.get(readLease, partition)?.['epoch'] !== epoch) return false;
    const stored = db.get(readCheckpointSql, partition);
    if (stored !== undefined && (stored['seq'] as number) >= seq) return false;
    if (stored !== undefined) {
      db.run(keepOlderCheckpoint, partition);
      db.run(dropOlderCheckpointChunks, partition);
      db.run(keepOlderCheckpointChunks, partition);
    }
    db.run(writeCheckpointSql, partition, epoch, seq, checkpointChecksum(checkpoint));
    db.run(dropCheckpointChunks, partition);
    for (const [number, bytes] of chunks.entries())
      db.run(writeCheckpointChunk, partition, number, bytes);
    return true;
  });
}

export function readCheckpoint(context: Context, partition: number): Checkpoint | null {
  const { db } = context;
  return db.read(() => {
    const newest = readOne(context, partition, {
      head: readCheckpointSql,
      chunks: readCheckpointChunks,
    });
    if (newest !== 'damaged' && newest !== null) return newest;
    const older = { head: readOlderCheckpoint, chunks: readOlderCheckpointChunks };
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
  const chunks = db.all(sql.chunks, partition).map((chunk) => chunk['body'] as Uint8Array);
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
