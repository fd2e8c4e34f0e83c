import { firstIdOf, formatRunId, readRunId } from '@signalbox/engine';
import { cursorId } from '../damage/cursor-id.ts';
import { verify } from '../damage/damaged-rows.ts';
import { parkedChecksum } from '../damage/row-checksums.ts';
import { ANY_BYTES, withinBytes } from '../page-bytes.ts';
import type { ParkedCursor, ParkedRow, ParkedRun, RunRow, Store } from '../store.ts';
import { requireText } from '../validate-text.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { endedOf, readEndedStep } from './ended.ts';
import { idAfter } from './packs/read-packs.ts';
import {
  bindSpans,
  compareTenantIds,
  SPAN_PARAMETERS,
  spansOf,
  type TenantId,
} from './packs/spans.ts';
import { type RowWeight, type RunLists, unpackRunLists, weighRunLists } from './rows/run-lists.ts';
import type { RunColumns } from './rows/run-row.ts';
import { nameOf, pickRuns, readRunsStep } from './runs.ts';
import { readParked as readParkedSql } from './sql/read-parked.ts';
import { readRunLists } from './sql/read-runs.ts';

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
  const { ids, sorts: sortList, tenants: tenantList } = row as ParkedColumns;
  if (ids === null) return { runs: [], last: null, exhausted: true };
  const sorts = JSON.parse(sortList) as number[];
  const tenants = JSON.parse(tenantList) as string[];
  const checksums = JSON.parse(row?.checksums as string) as (number | null)[];
  const places = sorts.slice(0, limit).map((sort, i) => ({
    ...{ sort, tenant: tenants[i] as string, id: readRunId(ids, i * ID_BYTES) },
  }));
  const readable: readonly Place[] = places.filter((place, i) => {
    const columns = { partition, lane, ...place, checksum: checksums[i] as number | null };
    return isReadable(database, columns);
  });
  const bytes = Math.min(query.bytes ?? ANY_BYTES, READ_BYTES_MAX);
  const { runs, passed } = await openRuns(database, readable, bytes);
  // A page that is not shortened ends with its last place, which may be damaged.
  const last = (passed === readable.length ? places.at(-1) : readable[passed - 1]) as Place;
  const at = places.indexOf(last) * ID_BYTES;
  const { sort } = last;
  const id = readable.includes(last) ? last.id : cursorId(ids.subarray(at, at + ID_BYTES));
  const isWhole = passed === readable.length && places.length === sorts.length;
  return { runs, last: { sort, id }, exhausted: isWhole };
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

/** Throws where the row is not as it was written. */
export function toPlace(row: PlaceColumns): ParkedRow & { readonly partition: number } {
  const { checksum, ...place } = row;
  verify(checksum, () => parkedChecksum(row.partition, row));
  return place;
}

type Place = ParkedCursor & { readonly tenant: string };

/**
 * The runs of a page without those that have ended, or are gone with their segment since. Where their
 * inputs are more than the page may have, they are weighed, and those of a shorter page are read.
 */
async function openRuns(
  database: Database,
  places: readonly Place[],
  bytes: number,
): Promise<{ runs: ParkedRun[]; passed: number }> {
  if (places.length === 0) return { runs: [], passed: 0 };
  const wanted = places.toSorted(compareTenantIds);
  const spans = spansOf(wanted);
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
    const bare = pickRuns(database, {
      rows: rows as unknown as RunColumns[],
      wanted,
      withInput: false,
    });
    return { runs: inPlaces(places, wanted, openOf(bare, hasEnded)), passed: places.length };
  }
  const [lists] = rows as unknown as [RunLists];
  if (!lists.is_whole) {
    const shorter = placesWithin(places, weighRunLists(lists), bytes);
    const { runs } = await openRuns(database, shorter, ANY_BYTES);
    return { runs, passed: shorter.length };
  }
  const runs = openOf(unpackRunLists(database.damage, lists), hasEnded);
  return { runs: inPlaces(places, wanted, runs), passed: places.length };
}

function openOf(runs: readonly RunRow[], hasEnded: ReadonlySet<string>): readonly RunRow[] {
  if (hasEnded.size === 0) return runs;
  return runs.filter((run) => !hasEnded.has(nameOf(run.tenant, run.id)));
}

/** Runs in the order of the page. `wanted` and `runs` are in one order; a run may be at two places. */
function inPlaces(
  places: readonly Place[],
  wanted: readonly Place[],
  runs: readonly RunRow[],
): ParkedRun[] {
  const open = new Map<TenantId, RunRow>();
  let at = 0;
  for (const place of wanted) {
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

/** The places up to the one that reaches the bytes, by what their rows weigh, ended runs included. */
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
