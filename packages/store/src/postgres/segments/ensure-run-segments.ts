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

/** Makes the segments for these spans of time that are not there yet; answers how many it made. */
export async function ensureRunSegments(
  database: Database,
  spans: readonly TimeSpan[],
): Promise<number> {
  const known = await database.read<SegmentBounds>(step(listSegments(database.schema)));
  // Mostly everything is there: found out without a lock and without a connection of its own.
  if (missingOf(known, database, spans).length === 0) return 0;
  return database.maintenance(async (connection) => {
    await connection.query(step(lockSchema(database.schema)));
    return makeMissing(connection, database, spans);
  });
}

interface SegmentBounds {
  readonly from_ms: number;
  readonly to_ms: number;
}

async function makeMissing(
  connection: Connection,
  database: Database,
  spans: readonly TimeSpan[],
): Promise<number> {
  let made = 0;
  for (const span of spans) {
    const known = await connection.query<SegmentBounds>(step(listSegments(database.schema)));
    for (const { from, to } of missingOf(known, database, [span])) {
      await connection.script(createRunSegment(database.schema, { fromMs: from, toMs: to }));
      made++;
    }
  }
  return made;
}

function missingOf(
  known: readonly SegmentBounds[],
  database: Database,
  spans: readonly TimeSpan[],
) {
  const width = database.settings.segmentMs;
  const existing = known.map(({ from_ms, to_ms }) => ({ from: from_ms, to: to_ms }));
  return spans.flatMap(({ fromMs, untilMs }) =>
    missingRanges({ existing, first: fromMs, last: untilMs, width }),
  );
}
