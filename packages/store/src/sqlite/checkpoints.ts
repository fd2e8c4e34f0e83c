import type { Checkpoint } from '../store.ts';
import type { Context } from './context.ts';
import { READ_CHECKPOINT, WRITE_CHECKPOINT } from './sql/checkpoint.ts';
import { DELETE_CHUNKS, INSERT_CHUNK, READ_CHUNKS } from './sql/checkpoint-chunks.ts';
import { READ_PARTITION } from './sql/read-partition.ts';

export function writeCheckpoint({ db }: Context, checkpoint: Checkpoint): boolean {
  const { partition, epoch, seq, chunks } = checkpoint;
  return db.write(() => {
    if (db.get(READ_PARTITION, partition)?.['epoch'] !== epoch) return false;
    if (db.run(WRITE_CHECKPOINT, partition, epoch, seq) === 0) return false;
    db.run(DELETE_CHUNKS, partition);
    for (const [number, bytes] of chunks.entries()) db.run(INSERT_CHUNK, partition, number, bytes);
    return true;
  });
}

export function readCheckpoint({ db }: Context, partition: number): Checkpoint | null {
  return db.read(() => {
    const row = db.get(READ_CHECKPOINT, partition);
    if (row === undefined) return null;
    return {
      partition,
      epoch: row['epoch'] as number,
      seq: row['seq'] as number,
      chunks: db.all(READ_CHUNKS, partition).map((chunk) => chunk['bytes'] as Uint8Array),
    };
  });
}
