import { firstIdOf, readRunId } from '@signalbox/engine';
import type { ParkedCursor, ParkedRun, RunRow, Store } from '../store.ts';
import { requireText } from '../validate-text.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { endedOf, readEndedStep } from './ended.ts';
import {
  bindSpans,
  compareTenantIds,
  SPAN_PARAMETERS,
  spansOf,
  type TenantId,
} from './packs/spans.ts';
import { type RunLists, unpackRunLists } from './rows/run-lists.ts';
import { nameOf } from './runs.ts';
import { readParked as readParkedSql } from './sql/read-parked.ts';
import { readRunLists } from './sql/read-runs.ts';

const BEFORE_ALL: ParkedCursor = { sort: Number.MIN_SAFE_INTEGER, id: firstIdOf(0) };
const ID_BYTES = 16;

/** The one row of `sql/read-parked.ts`: every column of the page as a list, null for an empty page. */
interface ParkedColumns {
  readonly ids: Uint8Array | null;
  readonly sorts: string;
  readonly tenants: string;
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
  const places = sorts.slice(0, limit).map((sort, i) => ({
    ...{ sort, tenant: tenants[i] as string, id: readRunId(ids, i * ID_BYTES) },
  }));
  const { sort, id } = places.at(-1) as ParkedCursor;
  const runs = await openRuns(database, places);
  return { runs, last: { sort, id }, exhausted: sorts.length <= limit };
}

/** The runs of a page without those that have ended, or are gone with their segment since. */
async function openRuns(
  database: Database,
  places: readonly (ParkedCursor & { readonly tenant: string })[],
): Promise<ParkedRun[]> {
  const wanted = places.toSorted(compareTenantIds);
  const spans = spansOf(wanted);
  const read = step(readRunLists(database.schema), SPAN_PARAMETERS, (w) => bindSpans(w, spans));
  const steps = [read, readEndedStep(database, spans)];
  const [rows, ends] = await database.pipeline(database.pool, steps, 'none');
  const [lists] = rows as unknown as [RunLists];
  const hasEnded = endedOf(ends?.[0]);
  const runs = unpackRunLists(lists);
  const open = new Map<TenantId, RunRow>();
  let at = 0;
  // Both are in one order; a run may have been parked at two places.
  for (const place of wanted) {
    while (at < runs.length && compareTenantIds(runs[at] as RunRow, place) < 0) at++;
    const run = runs[at];
    if (run === undefined) break;
    if (compareTenantIds(run, place) > 0) continue;
    if (hasEnded.size === 0 || !hasEnded.has(nameOf(run.tenant, run.id))) open.set(place, run);
  }
  return places.flatMap((place) => {
    const run = open.get(place);
    return run === undefined ? [] : [{ sort: place.sort, run }];
  });
}
