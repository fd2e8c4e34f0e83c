import type { Connection } from '../connection/connection.ts';
import { step } from '../connection/step.ts';
import type { Database } from '../database.ts';
import { createRunSegment } from '../sql/segments/create-run-segment.ts';
import { listSegments } from '../sql/segments/list-segments.ts';
import { lockSchema } from '../sql/session/lock-schema.ts';
import { missingRanges } from './missing-ranges.ts';

export interface TimeSpan {
  readonly fromMs: number;
  /** Part of the span. */
  readonly untilMs: number;
}

/** Creates the missing segments for these spans of time; returns how many it created. */
export async function ensureRunSegments(
  database: Database,
  spans: readonly TimeSpan[],
): Promise<number> {
  const existing = await database.read<SegmentBounds>(step(listSegments(database.schema)));
  // Mostly nothing is missing, which needs neither a lock nor a separate connection.
  if (missingOf(existing, database, spans).length === 0) return 0;
  return database.maintenance(async (connection) => {
    await connection.query(step(lockSchema(database.schema)));
    return createMissing(connection, database, spans);
  });
}

interface SegmentBounds {
  readonly from_ms: number;
  readonly to_ms: number;
}

async function createMissing(
  connection: Connection,
  database: Database,
  spans: readonly TimeSpan[],
): Promise<number> {
  let created = 0;
  for (const span of spans) {
    const existing = await connection.query<SegmentBounds>(step(listSegments(database.schema)));
    for (const { from, to } of missingOf(existing, database, [span])) {
      await connection.script(createRunSegment(database.schema, { fromMs: from, toMs: to }));
      created++;
    }
  }
  return created;
}

function missingOf(
  segments: readonly SegmentBounds[],
  database: Database,
  spans: readonly TimeSpan[],
) {
  const width = database.settings.segmentMs;
  const existing = segments.map(({ from_ms, to_ms }) => ({ from: from_ms, to: to_ms }));
  return spans.flatMap(({ fromMs, untilMs }) =>
    missingRanges({ existing, first: fromMs, last: untilMs, width }),
  );
}
