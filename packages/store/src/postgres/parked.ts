import { firstIdOf } from '@signalbox/engine';
import type { ParkedCursor, ParkedRun, Store } from '../store.ts';
import { requireText } from '../validate-text.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { type ParkedColumns, unpackParked } from './rows/parked-page.ts';
import { readParked as readParkedSql } from './sql/read-parked.ts';

const BEFORE_ALL: ParkedCursor = { sort: Number.MIN_SAFE_INTEGER, id: firstIdOf(0) };

export async function readParked(
  database: Database,
  query: Parameters<Store['readParked']>[0],
): Promise<{ runs: ParkedRun[]; last: ParkedCursor | null; exhausted: boolean }> {
  const { partition, lane, after, upTo, limit } = query;
  requireText('lane', lane);
  // One row more than asked for tells whether there is a next page, in the same round trip.
  const [row] = await database.read<ParkedColumns>(
    step(readParkedSql(database.schema), 6, (writer) => {
      writer.int4(partition);
      writer.text(lane);
      writer.int8(after?.sort ?? BEFORE_ALL.sort);
      writer.uuid(after?.id ?? BEFORE_ALL.id);
      writer.int8(upTo);
      writer.int8(limit + 1);
    }),
  );
  return unpackParked(row as ParkedColumns, limit);
}
