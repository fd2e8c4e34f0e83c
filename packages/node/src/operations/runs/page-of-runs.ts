import {
  compareRunIds,
  formatRunId,
  isTerminalRun,
  parseRunId,
  type RunId,
} from '@signalbox/engine';
import type { RunFilter, RunState } from '@signalbox/protocol';
import { PAGE_BYTES, type StoredRun, StoreError, storedRunBytes } from '@signalbox/store';
import type { NodeContext } from '../../context/node-context.ts';
import { type RunView as EngineView, NO_TASKS, readRun, viewOfStored } from '../../loop/index.ts';
import { readReplica } from '../../replica/read-replica.ts';
import { invalidCursor } from '../common/cursors.ts';
import { isSelective, keyOf, matchesRow, matchesView, rangeOf, within } from './run-filter.ts';

/** Rows looked at for one page: a filter that matches little must not read all of history. */
const LOOK_MAX = 10_000;
/** The same in bytes: the detail of the end of a large run may have megabytes. */
const LOOK_BYTES_MAX = 67_108_864;
const ROWS_PER_READ = 500;

export interface RunsWanted {
  readonly filter: RunFilter;
  /** Only in one of these states; null for any. */
  readonly states: ReadonlySet<RunState> | null;
  readonly cursor: string | undefined;
  readonly limit: number;
}

export interface RunsPage {
  readonly views: readonly EngineView[];
  readonly next?: string;
}

/**
 * Runs of the tenant that match, newest first, without their tasks: live runs from memory, ended runs from the store.
 * A page may be short or even empty and still have a next page, because the work for each is bounded.
 */
export async function pageOfRuns(
  context: NodeContext,
  tenant: string,
  wanted: RunsWanted,
): Promise<RunsPage> {
  const { filter, states, limit } = wanted;
  if (filter.idempotencyKey !== undefined) return ofKey(context, tenant, wanted);
  const cursor = { from: null, before: cursorOf(wanted.cursor) };
  const { from, before: end } = within(rangeOf(filter), cursor);
  const views: EngineView[] = [];
  const isPartial = isSelective(filter) || states !== null;
  let before = end;
  let lookedBytes = 0;
  for (let looked = 0; looked < LOOK_MAX && lookedBytes < LOOK_BYTES_MAX; ) {
    const rows = await context.store.listRuns({
      tenant,
      before,
      ...(from === null ? {} : { from }),
      withPayloads: false,
      bytes: PAGE_BYTES,
      limit: isPartial ? ROWS_PER_READ : Math.min(ROWS_PER_READ, limit + 1),
      ...(filter.job === undefined ? {} : { job: filter.job }),
      ...endedOf(filter.state),
    });
    for (const row of rows) {
      if (views.length === limit) return { views, next: formatRunId(before as RunId) };
      before = row.run.id;
      if (row.damaged) continue;
      const view = await matching(context, row, wanted).catch(leftOut);
      if (view !== null) views.push(view);
    }
    looked += rows.length;
    for (const row of rows) lookedBytes += storedRunBytes(row);
    if (rows.length === 0) return { views };
  }
  return { views, next: formatRunId(before as RunId) };
}

/** At most one run holds a key, and the store finds it by the key. */
async function ofKey(context: NodeContext, tenant: string, wanted: RunsWanted): Promise<RunsPage> {
  const key = keyOf(wanted.filter);
  const [holder] = key === null ? [] : await context.store.readKeys([{ tenant, key }]);
  const row = holder === undefined ? null : await context.store.getRun({ tenant, id: holder.run });
  const { from, before } = rangeOf(wanted.filter);
  if (row === null || wanted.cursor !== undefined) return { views: [] };
  const { id } = row.run;
  if (from !== null && compareRunIds(id, from) < 0) return { views: [] };
  if (before !== null && compareRunIds(id, before) >= 0) return { views: [] };
  const view = await matching(context, row, wanted);
  return { views: view === null || view.head.key !== key ? [] : [view] };
}

/**
 * How a live run of a stopped partition stands is not known. The list goes on without it, as without
 * a damaged one; reading the run by its id is refused with the reason.
 */
function leftOut(error: unknown): null {
  if (error instanceof StoreError && error.kind === 'damaged') return null;
  throw error;
}

/** The run as it is now; null where it does not match. */
async function matching(
  context: NodeContext,
  row: StoredRun,
  { filter, states }: RunsWanted,
): Promise<EngineView | null> {
  const { id, job } = row.run;
  const stored = viewOfStored(row, NO_TASKS);
  if (!matchesRow({ id, job, head: stored.head }, filter)) return null;
  const view = row.end === null ? await current(context, row) : stored;
  return matchesView(view, filter, states) ? view : null;
}

/**
 * A row without an end is what was submitted; how it is now its owner knows, or the journal. It may have
 * run and ended since the row was read, so memory that does not have it means nothing by itself (I20).
 */
async function current(context: NodeContext, row: StoredRun): Promise<EngineView> {
  const { id, tenant } = row.run;
  const { loop, store } = context;
  const of = { loop, store, tenant, id, select: NO_TASKS, stored: row };
  const own = await readRun(of);
  const view = own === 'not_owner' ? await readReplica(of) : own;
  return view ?? viewOfStored(row, NO_TASKS);
}

/**
 * Left to the store only where nearly every row matches: it reads on until a page is filled, and for
 * runs that live that may be all of history.
 */
function endedOf(state: RunState | undefined): { ended?: true } {
  return state !== undefined && isTerminalRun(state) ? { ended: true } : {};
}

function cursorOf(cursor: string | undefined): RunId | null {
  if (cursor === undefined) return null;
  const id = parseRunId(cursor);
  if (id === null) throw invalidCursor('cursor');
  return id;
}
