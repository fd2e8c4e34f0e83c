import { step } from '../connection/step.ts';
import type { Database } from '../database.ts';
import { createGroupSegment } from '../sql/group-segments/create-group-segment.ts';
import { listGroupSegments } from '../sql/group-segments/list-group-segments.ts';
import { lockSchema } from '../sql/session/lock-schema.ts';
import { missingRanges } from './missing-ranges.ts';

/** Creates the group segment of each seq and the one after it, so that the next boundary is covered. */
export async function ensureGroupSegments(
  database: Database,
  seqs: readonly number[],
): Promise<void> {
  const { schema } = database;
  const width = database.settings.groupSegmentSize;
  await database.maintenance(async (connection) => {
    await connection.query(step(lockSchema(schema)));
    for (const seq of seqs) {
      const segments = await connection.query<{ from_seq: number; to_seq: number }>(
        step(listGroupSegments(schema)),
      );
      const existing = segments.map(({ from_seq, to_seq }) => ({ from: from_seq, to: to_seq }));
      for (const { from, to } of missingRanges({
        existing,
        first: seq,
        last: seq + width,
        width,
      })) {
        await connection.script(createGroupSegment(schema, { fromSeq: from, toSeq: to }));
      }
    }
  });
}
