import type { Connection } from '../connection/connection.ts';
import { step } from '../connection/step.ts';
import type { Database } from '../database.ts';
import { dropGroupSegment } from '../sql/group-segments/drop-group-segment.ts';
import { listGroupSegments } from '../sql/group-segments/list-group-segments.ts';
import { lockGroupSegment } from '../sql/group-segments/lock-group-segment.ts';
import { readGroupSegmentEnds } from '../sql/group-segments/read-group-segment-ends.ts';
import { readGroupSegmentUse } from '../sql/group-segments/read-group-segment-use.ts';
import { keepDroppedSeqs } from '../sql/leases/keep-dropped-seqs.ts';
import { lockSchema } from '../sql/session/lock-schema.ts';
import { withShortLocks } from './with-short-locks.ts';

export async function dropGroupsBefore(
  database: Database,
  query: { beforeMs: number },
): Promise<number> {
  const segments = await database.read<{ from_seq: number }>(
    step(listGroupSegments(database.schema)),
  );
  let dropped = 0;
  for (const { from_seq: fromSeq } of segments) {
    const wasDropped = await withShortLocks(database, (connection) =>
      dropIfPassed(connection, { schema: database.schema, fromSeq, ...query }),
    );
    if (wasDropped) dropped++;
  }
  return dropped;
}

interface Candidate {
  readonly schema: string;
  readonly fromSeq: number;
  readonly beforeMs: number;
}

async function dropIfPassed(connection: Connection, candidate: Candidate): Promise<boolean> {
  const { schema, fromSeq } = candidate;
  await connection.query(step(lockSchema(schema)));
  const segments = await connection.query<{ from_seq: number }>(step(listGroupSegments(schema)));
  // Another node may have dropped it since the list was read.
  if (!segments.some(({ from_seq }) => from_seq === fromSeq)) return false;
  if (!(await isPassed(connection, candidate))) return false;
  await connection.script(lockGroupSegment(schema, fromSeq));
  if (!(await isPassed(connection, candidate))) return false;
  const ends = await connection.query<{ partition: number; last_seq: number }>(
    step(readGroupSegmentEnds(schema, fromSeq)),
  );
  await connection.query(
    step(keepDroppedSeqs(schema), 2, (writer) => {
      writer.int4s(ends.map(({ partition }) => partition));
      writer.int8s(ends.map(({ last_seq }) => last_seq));
    }),
  );
  await connection.script(dropGroupSegment(schema, fromSeq));
  return true;
}

/** An empty segment was created ahead and stays. */
async function isPassed(connection: Connection, candidate: Candidate): Promise<boolean> {
  const [use] = await connection.query<{ is_used: boolean; is_needed: boolean }>(
    step(readGroupSegmentUse(candidate.schema, candidate.fromSeq), 1, (writer) =>
      writer.int8(candidate.beforeMs),
    ),
  );
  return use?.is_used === true && !use.is_needed;
}
