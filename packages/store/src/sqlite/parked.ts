import { compareRunIds, type RunId } from '@signalbox/engine';
import type { ParkedCursor, ParkedRow, ParkedRun } from '../contract/parked.ts';
import { type RowPlace, verify } from '../damage/damaged-rows.ts';
import { missingRun } from '../damage/missing-run.ts';
import { parkedChecksum } from '../damage/row-checksums.ts';
import type { Store } from '../store.ts';
import { requireText } from '../validate-text.ts';
import type { Context } from './context.ts';
import type { Row } from './database.ts';
import { idBytes, toId } from './rows.ts';
import { findRun } from './runs.ts';
import { readParked as readParkedSql } from './sql/parked/read-parked.ts';

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
      last = place;
      passed++;
      const stored = findRun(context, place, bytes > 0);
      if (stored === null) context.damage.add(missingRun(query.partition, place));
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
    let found = 0;
    let cursor = { sort: after.sort, id: idBytes(after.id) };
    for (let isMore = true; isMore && found <= limit; ) {
      const { sort, id } = cursor;
      const rows = db.all(readParkedSql(number), partition, lane, sort, id, upTo, limit + 1);
      for (const row of rows) {
        cursor = { sort: row['sort'] as number, id: row['id'] as Uint8Array };
        const place = readPlace(context, row);
        if (place === null) continue;
        places.push(place);
        found++;
      }
      isMore = rows.length > limit;
    }
  }
  return places.sort((a, b) => a.sort - b.sort || compareRunIds(a.id, b.id)).slice(0, limit + 1);
}

/**
 * Null if the place is damaged. It does not move the cursor, because a sort that is too large would skip
 * runs that are parked later.
 */
function readPlace({ damage }: Context, row: Row): Place | null {
  const { sort, tenant, lane, partition } = row;
  const id = Buffer.from(row['id'] as Uint8Array).toString('hex');
  const key = JSON.stringify([partition, lane, sort, id]);
  const at = { kind: 'parked', key, partition: partition as number, tenant: tenant as string };
  return damage.read(at as RowPlace, row, () => toPlace(row));
}

/** Throws if the row does not match its checksum. */
export function toPlace(row: Row): ParkedRow & { readonly partition: number } {
  const bytes = row['id'] as Uint8Array;
  if (bytes.length !== ID_BYTES) throw new RangeError('not the id of a run');
  const place = placeOf(row);
  verify(row['checksum'] as number | null, () => parkedChecksum(place.partition, place));
  return place;
}

export function placeOf(row: Row): ParkedRow & { readonly partition: number } {
  return {
    partition: row['partition'] as number,
    lane: row['lane'] as string,
    sort: row['sort'] as number,
    id: toId(row['id']),
    tenant: row['tenant'] as string,
  };
}
