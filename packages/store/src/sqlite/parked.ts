import { compareRunIds, type RunId } from '@signalbox/engine';
import type { ParkedCursor, ParkedRun, Store } from '../store.ts';
import { requireText } from '../validate-text.ts';
import type { Context } from './context.ts';
import type { Row } from './database.ts';
import { idBytes, toId } from './rows.ts';
import { findRun } from './runs.ts';
import { readParked as readParkedSql } from './sql/read-parked.ts';

const ID_BYTES = 16;
/** Before every place of a lane: sorts are safe integers. */
const BEGINNING = { sort: Number.MIN_SAFE_INTEGER, id: { ms: 0, partition: 0, seq: 0 } };

interface Place {
  readonly sort: number;
  readonly id: RunId;
  readonly tenant: string;
}

export function readParked(
  context: Context,
  query: Parameters<Store['readParked']>[0],
): { runs: ParkedRun[]; last: ParkedCursor | null; exhausted: boolean } {
  requireText('lane', query.lane);
  return context.db.read(() => {
    context.catalog.refresh();
    const { limit, bytes = Number.POSITIVE_INFINITY } = query;
    const places = readPlaces(context, query);
    const runs: ParkedRun[] = [];
    let last: Place | null = null;
    let passed = 0;
    let read = 0;
    for (const place of places.slice(0, limit)) {
      const stored = findRun(context, place, bytes > 0);
      last = place;
      passed++;
      if (stored === 'damaged' || stored?.end !== null) continue;
      runs.push({ sort: place.sort, run: stored.run });
      read += stored.run.input?.length ?? 0;
      if (bytes > 0 && read >= bytes) break;
    }
    return {
      runs,
      last: last === null ? null : { sort: last.sort, id: last.id },
      exhausted: passed === places.length,
    };
  });
}

/**
 * The next places of the lane over all segments, and one more to see whether there is more. Only
 * the narrow rows are read from every segment; runs are then fetched for the page alone.
 */
function readPlaces(context: Context, query: Parameters<Store['readParked']>[0]): Place[] {
  const { db, catalog } = context;
  const { partition, lane, upTo, limit } = query;
  const after = query.after ?? BEGINNING;
  const places: Place[] = [];
  for (const { number } of catalog.list()) {
    const id = idBytes(after.id);
    const rows = db.all(readParkedSql(number), partition, lane, after.sort, id, upTo, limit + 1);
    for (const row of rows) {
      const place = readPlace(context, partition, row);
      if (place !== null) places.push(place);
    }
  }
  return places.sort((a, b) => a.sort - b.sort || compareRunIds(a.id, b.id)).slice(0, limit + 1);
}

/** A place has no checksum: one that cannot be the id of a run is set aside under its bytes. */
function readPlace({ damage }: Context, partition: number, row: Row): Place | null {
  const { id: bytes, sort, tenant } = row;
  const key = bytes instanceof Uint8Array ? Buffer.from(bytes).toString('hex') : String(bytes);
  const at = { kind: 'run', key, partition, tenant: String(tenant) } as const;
  return damage.read(at, row, () => {
    const id = bytes instanceof Uint8Array && bytes.length === ID_BYTES ? toId(bytes) : null;
    if (id === null || id.partition !== partition) throw new RangeError('not the id of a run');
    if (!Number.isSafeInteger(sort) || typeof tenant !== 'string') {
      throw new RangeError('not a place of a lane');
    }
    return { sort: sort as number, id, tenant };
  });
}
