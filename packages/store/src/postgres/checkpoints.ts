import type { Checkpoint } from '../store.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { dropCheckpointChunks } from './sql/drop-checkpoint-chunks.ts';
import { readCheckpoint as readCheckpointSql } from './sql/read-checkpoint.ts';
import { writeCheckpoint as writeCheckpointSql } from './sql/write-checkpoint.ts';
import { writeCheckpointChunk } from './sql/write-checkpoint-chunk.ts';

export async function writeCheckpoint(
  database: Database,
  checkpoint: Checkpoint,
): Promise<boolean> {
  const { schema } = database;
  const { partition, epoch, seq, chunks } = checkpoint;
  return database.transaction(async (connection) => {
    const written = await connection.query(
      step(writeCheckpointSql(schema), 4, (writer) => {
        writer.int4(partition);
        writer.int8(epoch);
        writer.int8(seq);
        writer.int4(chunks.length);
      }),
    );
    if (written.length === 0) return false;
    for (const [number, body] of chunks.entries()) {
      await connection.query(
        step(writeCheckpointChunk(schema), 4, (writer) => {
          writer.int4(partition);
          writer.int8(seq);
          writer.int4(number);
          writer.data(body);
        }),
      );
    }
    await connection.query(
      step(dropCheckpointChunks(schema), 2, (writer) => {
        writer.int4(partition);
        writer.int8(seq);
      }),
    );
    return true;
  });
}

export async function readCheckpoint(
  database: Database,
  partition: number,
): Promise<Checkpoint | null> {
  const rows = await database.read<{ epoch: number; seq: number; body: Uint8Array | null }>(
    step(readCheckpointSql(database.schema), 1, (writer) => writer.int4(partition)),
  );
  const [first] = rows;
  if (first === undefined) return null;
  const { epoch, seq } = first;
  return { partition, epoch, seq, chunks: rows.flatMap(({ body }) => body ?? []) };
}
