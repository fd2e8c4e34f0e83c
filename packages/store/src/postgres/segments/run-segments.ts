import { StoreError } from '../../errors.ts';
import type { Segment } from '../../run-segment.ts';
import { segmentsToCreate } from '../../run-segment.ts';
import type { Connection } from '../connection/connection.ts';
import { hasCode } from '../connection/failure.ts';
import { step } from '../connection/step.ts';
import type { Database } from '../database.ts';
import { readNow } from '../now.ts';
import { countOpenRuns } from '../sql/segments/count-open-runs.ts';
import { dropRunSegment } from '../sql/segments/drop-run-segment.ts';
import { listKeptSegments } from '../sql/segments/list-kept-segments.ts';
import { lockRunSegment } from '../sql/segments/lock-run-segment.ts';
import { readIsSegmentUsed } from '../sql/segments/read-is-segment-used.ts';
import { readSegment } from '../sql/segments/read-segment.ts';
import { sealSegment as sealSegmentSql } from '../sql/segments/seal-segment.ts';
import { ensureRunSegments } from './ensure-run-segments.ts';
import { withShortLocks } from './with-short-locks.ts';

interface SegmentRow {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly state: 'open' | 'sealed' | 'dropped';
  readonly sealed_at_ms: number | null;
}

export async function ensureSegments(
  database: Database,
  query: { untilMs: number },
): Promise<void> {
  const { segmentMs } = database.settings;
  const requested = segmentsToCreate({ nowMs: await readNow(database), segmentMs, ...query });
  const fromMs = requested[0];
  if (fromMs !== undefined) await ensureRunSegments(database, [{ fromMs, ...query }]);
}

export async function listSegments(database: Database): Promise<Segment[]> {
  const rows = await database.read<SegmentRow>(step(listKeptSegments(database.schema)));
  return rows.map(({ from_ms, to_ms, state, sealed_at_ms: sealedAtMs }) => ({
    fromMs: from_ms,
    toMs: to_ms,
    sealed: state === 'sealed',
    ...(sealedAtMs === null ? {} : { sealedAtMs }),
  }));
}

export async function lastUsedSegment(database: Database): Promise<Segment | null> {
  for (const segment of (await listSegments(database)).reverse()) {
    if (await holdsRun(database, segment)) return segment;
  }
  return null;
}

async function holdsRun(database: Database, { fromMs }: Segment): Promise<boolean> {
  try {
    const [row] = await database.read<{ is_used: boolean }>(
      step(readIsSegmentUsed(database.schema, fromMs)),
    );
    return row?.is_used === true;
  } catch (error) {
    // Another node has dropped it since the list was read.
    if (error instanceof StoreError && hasCode(error.cause, ['42P01'])) return false;
    throw error;
  }
}

export async function sealSegment(
  database: Database,
  fromMs: number,
): Promise<{ sealed: boolean; openRuns: number }> {
  const { schema } = database;
  return withShortLocks(database, async (connection) => {
    const segment = await requireSegment(connection, schema, fromMs);
    if (segment.state !== 'open') return { sealed: true, openRuns: 0 };
    // Counted first without a lock: while a run is open, commits must be able to end it.
    const openRuns = await countOpen(connection, schema, fromMs);
    if (openRuns > 0 || !segment.is_past) return { sealed: false, openRuns };
    // Then again with writers of the segment excluded; only late writes to it wait.
    await connection.script(lockRunSegment(schema, fromMs));
    const openNow = await countOpen(connection, schema, fromMs);
    if (openNow > 0) return { sealed: false, openRuns: openNow };
    await connection.script(sealSegmentSql(schema, fromMs));
    return { sealed: true, openRuns: 0 };
  });
}

export async function dropSegment(database: Database, fromMs: number): Promise<void> {
  await withShortLocks(database, async (connection) => {
    const segment = await requireSegment(connection, database.schema, fromMs);
    // Another node was first; the lock on the row serializes the two.
    if (segment.state === 'dropped') return;
    if (segment.state !== 'sealed') {
      throw new StoreError('invalid', `segment ${fromMs} is not sealed`);
    }
    await connection.script(dropRunSegment(database.schema, fromMs));
  });
}

async function requireSegment(connection: Connection, schema: string, fromMs: number) {
  const [segment] = await connection.query<Pick<SegmentRow, 'state'> & { is_past: boolean }>(
    step(readSegment(schema), 1, (writer) => writer.int8(fromMs)),
  );
  if (segment === undefined) throw new StoreError('invalid', `segment ${fromMs} does not exist`);
  return segment;
}

async function countOpen(connection: Connection, schema: string, fromMs: number): Promise<number> {
  const [row] = await connection.query<{ count: number }>(step(countOpenRuns(schema, fromMs)));
  return row?.count ?? 0;
}
