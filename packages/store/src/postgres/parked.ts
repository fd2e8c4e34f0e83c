import { firstIdOf, formatRunId, readRunId } from '@signalbox/engine';
import type { ParkedCursor, ParkedRow, ParkedRun } from '../contract/parked.ts';
import type { RunRow } from '../contract/runs.ts';
import { cursorId } from '../damage/cursor-id.ts';
import { verify } from '../damage/damaged-rows.ts';
import { missingRun } from '../damage/missing-run.ts';
import { parkedChecksum } from '../damage/row-checksums.ts';
import { ANY_BYTES, withinBytes } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { requireText } from '../validate-text.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { endedOf, readEndedStep } from './ended.ts';
import { idAfter } from './row-blocks/read-row-blocks.ts';
import {
  bindSpans,
  compareTenantIds,
  SPAN_PARAMETERS,
  spansOf,
  type TenantId,
} from './row-blocks/spans.ts';
import { decodeRunLists, type RowWeight, type RunLists, weighRunLists } from './rows/run-lists.ts';
import type { RunColumns } from './rows/run-row.ts';
import { nameOf, pickRuns, readRunsStep } from './runs.ts';
import { readParked as readParkedSql } from './sql/parked/read-parked.ts';
import { readRunLists } from './sql/runs/read-run-lists.ts';

const BEFORE_ALL: ParkedCursor = { sort: Number.MIN_SAFE_INTEGER, id: firstIdOf(0) };
const ID_BYTES = 16;
/** Bytes arrive as text of twice their length, which has to be shorter than the longest string of V8. */
const READ_BYTES_MAX = 134_217_728;

/** The one row of `sql/read-parked.ts`: every column of the page as a list, null for an empty page. */
interface ParkedColumns {
  readonly ids: Uint8Array | null;
  readonly sorts: string;
  readonly tenants: string;
  readonly checksums: string;
}

export async function readParked(
  database: Database,
  query: Parameters<Store['readParked']>[0],
): Promise<{ runs: ParkedRun[]; last: ParkedCursor | null; exhausted: boolean }> {
  const { limit } = query;
  requireText('lane', query.lane);
  const places = await readPlaces(database, query);
  if (places.length === 0) return { runs: [], last: null, exhausted: true };
  const bytes = Math.min(query.bytes ?? ANY_BYTES, READ_BYTES_MAX);
  const { runs, passed, missing } = await openRuns(database, places.slice(0, limit), bytes);
  if (missing.length > 0) await nameMissing(database, query, missing);
  const { sort, id } = places[passed - 1] as ParkedCursor;
  return { runs, last: { sort, id }, exhausted: passed === places.length };
}

/** Reads the places again: those of runs whose segment was dropped meanwhile no longer exist. */
async function nameMissing(
  database: Database,
  query: Parameters<Store['readParked']>[0],
  missing: readonly Place[],
): Promise<void> {
  const places = await readPlaces(database, query);
  for (const place of missing) {
    const isThere = places.some((each) => compareTenantIds(each, place) === 0);
    if (isThere) database.damage.add(missingRun(query.partition, place));
  }
}

/**
 * The places of a page, and one more, which shows in the same round trip whether there is a next page. Damaged
 * places are left out and do not move the cursor, because a sort that is too large would skip runs that are
 * parked later.
 */
async function readPlaces(
  database: Database,
  { partition, lane, after, upTo, limit }: Parameters<Store['readParked']>[0],
): Promise<Place[]> {
  const places: Place[] = [];
  let cursor = after ?? BEFORE_ALL;
  for (let isMore = true; isMore && places.length <= limit; ) {
    const [row] = await database.read<ParkedColumns>(
      step(readParkedSql(database.schema), 6, (writer) => {
        writer.int4(partition);
        writer.text(lane);
        writer.int8(cursor.sort);
        writer.uuid(cursor.id);
        writer.int8(upTo);
        writer.int8(limit + 1);
      }),
    );
    const { ids, ...lists } = row as ParkedColumns;
    if (ids === null) break;
    const sorts = JSON.parse(lists.sorts) as number[];
    const tenants = JSON.parse(lists.tenants) as string[];
    const checksums = JSON.parse(lists.checksums) as (number | null)[];
    for (const [i, sort] of sorts.entries()) {
      const at = i * ID_BYTES;
      const place = { sort, tenant: tenants[i] as string, id: readRunId(ids, at) };
      cursor = { sort, id: cursorId(ids.subarray(at, at + ID_BYTES)) };
      const checksum = checksums[i] as number | null;
      if (isReadable(database, { partition, lane, ...place, checksum })) places.push(place);
    }
    isMore = sorts.length > limit;
  }
  return places.slice(0, limit + 1);
}

export type PlaceColumns = ParkedRow & {
  readonly partition: number;
  readonly checksum: number | null;
};

function isReadable({ damage }: Database, row: PlaceColumns): boolean {
  const { partition, lane, sort, id, tenant } = row;
  const key = JSON.stringify([partition, lane, sort, formatRunId(id)]);
  const at = { kind: 'parked', key, partition, tenant } as const;
  return damage.read(at, row, () => toPlace(row)) !== null;
}

/** Throws if the row does not match its checksum. */
export function toPlace(row: PlaceColumns): ParkedRow & { readonly partition: number } {
  const { checksum, ...place } = row;
  verify(checksum, () => parkedChecksum(row.partition, row));
  return place;
}

type Place = ParkedCursor & { readonly tenant: string };

/**
 * The runs of a page without runs that have ended or were dropped with their segment meanwhile. If their
 * inputs exceed the bytes of the page, reads the sizes first, then the inputs of a shorter page.
 */
async function openRuns(
  database: Database,
  places: readonly Place[],
  bytes: number,
): Promise<{ runs: ParkedRun[]; passed: number; missing: readonly Place[] }> {
  const requested = places.toSorted(compareTenantIds);
  const spans = spansOf(requested);
  const steps = [
    bytes === 0
      ? readRunsStep(database, spans, false)
      : step(readRunLists(database.schema), SPAN_PARAMETERS + 1, (writer) => {
          bindSpans(writer, spans);
          writer.int8(bytes);
        }),
    readEndedStep(database, spans),
  ];
  const [rows, ends] = await database.pipeline(database.pool, steps, 'none');
  const hasEnded = endedOf(ends?.[0]);
  if (bytes === 0) {
    const withoutInput = pickRuns(database, {
      rows: rows as unknown as RunColumns[],
      requested,
      withInput: false,
    });
    const open = inPlaces(places, requested, openOf(withoutInput, hasEnded));
    const missing =
      open.length === places.length ? NONE : missingOf(requested, withoutInput, hasEnded);
    return { runs: open, passed: places.length, missing };
  }
  const [lists] = rows as unknown as [RunLists];
  if (!lists.is_whole) {
    const shorter = placesWithin(places, weighRunLists(lists), bytes);
    const { runs, missing } = await openRuns(database, shorter, ANY_BYTES);
    return { runs, passed: shorter.length, missing };
  }
  const found = decodeRunLists(database.damage, lists);
  const runs = inPlaces(places, requested, openOf(found, hasEnded));
  const missing = runs.length === places.length ? NONE : missingOf(requested, found, hasEnded);
  return { runs, passed: places.length, missing };
}

/** Places whose runs neither exist nor have ended, including runs in damaged rows. */
function missingOf(
  requested: readonly Place[],
  found: readonly RunRow[],
  hasEnded: ReadonlySet<string>,
): readonly Place[] {
  const names = new Set(found.map(({ tenant, id }) => nameOf(tenant, id)));
  return requested.filter(({ tenant, id }) => {
    const name = nameOf(tenant, id);
    return !names.has(name) && !hasEnded.has(name);
  });
}

const NONE: readonly Place[] = [];

function openOf(runs: readonly RunRow[], hasEnded: ReadonlySet<string>): readonly RunRow[] {
  if (hasEnded.size === 0) return runs;
  return runs.filter((run) => !hasEnded.has(nameOf(run.tenant, run.id)));
}

/** Runs in the order of the page. `requested` and `runs` are in one order; a run may be at two places. */
function inPlaces(
  places: readonly Place[],
  requested: readonly Place[],
  runs: readonly RunRow[],
): ParkedRun[] {
  const open = new Map<TenantId, RunRow>();
  let at = 0;
  for (const place of requested) {
    while (at < runs.length && compareTenantIds(runs[at] as RunRow, place) < 0) at++;
    const run = runs[at];
    if (run === undefined) break;
    if (compareTenantIds(run, place) === 0) open.set(place, run);
  }
  return places.flatMap((place) => {
    const run = open.get(place);
    return run === undefined ? [] : [{ sort: place.sort, run }];
  });
}

/** The places up to the one that reaches the bytes, by the sizes of their rows, ended runs included. */
function placesWithin(
  places: readonly Place[],
  weights: readonly RowWeight[],
  bytesMax: number,
): readonly Place[] {
  return withinBytes(places, bytesMax, ({ tenant, id }) => {
    let [low, high] = [0, weights.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareTenantIds(weights[middle] as RowWeight, { tenant, id }) <= 0) low = middle + 1;
      else high = middle;
    }
    const row = weights[low - 1];
    if (row === undefined || row.tenant !== tenant) return 0;
    const last = idAfter(row.id, row.count - 1);
    return compareTenantIds({ tenant, id: last }, { tenant, id }) < 0 ? 0 : row.bytes;
  });
}
