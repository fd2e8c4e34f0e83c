import type { Checkpoint } from '../contract/checkpoints.ts';
import { verify } from '../damage/damaged-rows.ts';
import { checkpointChecksum } from '../damage/row-checksums.ts';
import { StoreError } from '../errors.ts';
import type { Connection } from './connection/connection.ts';
import { hasCode } from './connection/failure.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { dropCheckpointChunks } from './sql/checkpoint-chunks/drop-checkpoint-chunks.ts';
import { writeCheckpointChunk } from './sql/checkpoint-chunks/write-checkpoint-chunk.ts';
import { keepOlderCheckpoint } from './sql/checkpoints/keep-older-checkpoint.ts';
import {
  readCheckpoint as readCheckpointSql,
  readOlderCheckpoint,
} from './sql/checkpoints/read-checkpoint.ts';
import { readCheckpointSeq as readCheckpointHeadSql } from './sql/checkpoints/read-checkpoint-seq.ts';
import { writeCheckpoint as writeCheckpointSql } from './sql/checkpoints/write-checkpoint.ts';
import type { Statement } from './sql/statement.ts';

/**
 * Writes the chunks first and tests the lease last. The test locks the lease row until the commit: if a
 * large checkpoint were written after it, beats would wait, and the owner would lose its leases.
 */
export async function writeCheckpoint(
  database: Database,
  checkpoint: Checkpoint,
): Promise<boolean> {
  const stored = await readCheckpointHead(database, checkpoint.partition);
  if (stored.epoch !== checkpoint.epoch || stored.seq >= checkpoint.seq) return false;
  try {
    return await database.transaction(async (connection) => {
      await writeChunks(connection, database.schema, checkpoint);
      const wasWritten = await writeHead(connection, database.schema, checkpoint);
      if (!wasWritten) throw new Superseded();
      return true;
    });
  } catch (error) {
    if (error instanceof StoreError && error.cause instanceof Superseded) return false;
    // Another writer has written a checkpoint of the same seq.
    if (error instanceof StoreError && hasCode(error.cause, ['23505'])) return false;
    throw error;
  }
}

/** Rolls the transaction back, and the chunks with it. */
class Superseded extends Error {}

async function readCheckpointHead(database: Database, partition: number) {
  const [row] = await database.read<{ epoch: number | null; seq: number }>(
    step(readCheckpointHeadSql(database.schema), 1, (writer) => writer.int4(partition)),
  );
  return row ?? { epoch: null, seq: -1 };
}

async function writeChunks(
  connection: Connection,
  schema: string,
  { partition, seq, chunks }: Checkpoint,
): Promise<void> {
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
  await connection.query(step(keepOlderCheckpoint(schema), 1, (writer) => writer.int4(partition)));
  await connection.query(
    step(dropCheckpointChunks(schema), 2, (writer) => {
      writer.int4(partition);
      writer.int8(seq);
    }),
  );
}

async function writeHead(
  connection: Connection,
  schema: string,
  checkpoint: Checkpoint,
): Promise<boolean> {
  const { partition, epoch, seq, chunks } = checkpoint;
  const written = await connection.query(
    step(writeCheckpointSql(schema), 5, (writer) => {
      writer.int4(partition);
      writer.int8(epoch);
      writer.int8(seq);
      writer.int4(chunks.length);
      writer.int4(checkpointChecksum(checkpoint));
    }),
  );
  return written.length > 0;
}

export async function readCheckpoint(
  database: Database,
  partition: number,
): Promise<Checkpoint | null> {
  const newest = await readOne(database, partition, readCheckpointSql(database.schema));
  if (newest !== 'damaged' && newest !== null) return newest;
  const older = await readOne(database, partition, readOlderCheckpoint(database.schema));
  return older === 'damaged' ? null : older;
}

interface CheckpointColumns {
  readonly epoch: number;
  readonly seq: number;
  readonly checksum: number | null;
  readonly body: Uint8Array | null;
}

async function readOne(
  database: Database,
  partition: number,
  statement: Statement,
): Promise<Checkpoint | null | 'damaged'> {
  const rows = await database.read<CheckpointColumns>(
    step(statement, 1, (writer) => writer.int4(partition)),
  );
  const [first] = rows;
  if (first === undefined) return null;
  const { epoch, seq, checksum } = first;
  const checkpoint = { partition, epoch, seq, chunks: rows.flatMap(({ body }) => body ?? []) };
  const place = {
    kind: 'checkpoint',
    key: `${partition}/${seq}`,
    partition,
    tenant: null,
  } as const;
  const read = database.damage.read(place, rows, () => {
    verify(checksum, () => checkpointChecksum(checkpoint));
    return checkpoint;
  });
  return read ?? 'damaged';
}
