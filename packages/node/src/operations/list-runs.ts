import { formatRunId, isTerminalRun, parseRunId, type RunId } from '@signalbox/engine';
import type { Page, PriorityName, RunState, RunView } from '@signalbox/protocol';
import { PAGE_BYTES, type StoredRun, storedRunBytes } from '@signalbox/store';
import { ApiError, type NodeContext } from '../context.ts';
import { readFollowed } from '../follow/read-followed.ts';
import { type RunView as EngineView, NO_TASKS, readRun, viewOfStored } from '../loop/index.ts';
import { operation } from './operation.ts';
import { showHead } from './run-view.ts';

/** Rows looked at for one page: a filter that matches little must not read all of history. */
const LOOK_MAX = 10_000;
/** The same in bytes: the detail of the end of a large run may have megabytes. */
const LOOK_BYTES_MAX = 67_108_864;
const ROWS_PER_READ = 500;

export interface RunFilter {
  readonly job?: string;
  readonly state?: RunState;
  readonly priority?: PriorityName;
  readonly cursor?: string;
  readonly limit?: number;
}

/**
 * Runs of the tenant, newest first, without their tasks. What lives is told by memory, what has
 * ended by the store. A page may be short or even empty and still have a next one: the work for
 * each is bounded.
 */
export const listRuns = operation(
  async (context, caller, filter: RunFilter): Promise<Page<RunView>> => {
    const limit = Math.min(filter.limit ?? 50, 1_000);
    let before = cursorOf(filter.cursor);
    const items: RunView[] = [];
    let lookedBytes = 0;
    for (let looked = 0; looked < LOOK_MAX && lookedBytes < LOOK_BYTES_MAX; ) {
      const rows = await context.store.listRuns({
        tenant: caller.tenant,
        before,
        withPayloads: false,
        bytes: PAGE_BYTES,
        limit: Math.min(ROWS_PER_READ, filter.state || filter.priority ? ROWS_PER_READ : limit + 1),
        ...(filter.job === undefined ? {} : { job: filter.job }),
        ...endedOf(filter.state),
      });
      for (const row of rows) {
        if (items.length === limit) return { items, next: formatRunId(before as RunId) };
        before = row.run.id;
        const view = await current(context, row);
        if (matches(view, filter)) items.push(showHead(view));
      }
      looked += rows.length;
      for (const row of rows) lookedBytes += storedRunBytes(row);
      if (rows.length === 0) return { items };
    }
    return { items, next: formatRunId(before as RunId) };
  },
);

/**
 * A row without an end is what was submitted; how it is now its owner knows, or the journal. It may have
 * run and ended since the row was read, so memory that does not have it means nothing by itself (I20).
 */
async function current(context: NodeContext, row: StoredRun): Promise<EngineView> {
  if (row.end !== null) return viewOfStored(row, NO_TASKS);
  const { id, tenant } = row.run;
  const { loop, store } = context;
  const of = { loop, store, tenant, id, select: NO_TASKS, stored: row };
  const own = await readRun(of);
  const view = own === 'not_owner' ? await readFollowed(of) : own;
  return view ?? viewOfStored(row, NO_TASKS);
}

function matches(view: EngineView, filter: RunFilter): boolean {
  if (filter.state !== undefined && view.state !== filter.state) return false;
  return filter.priority === undefined || view.class === filter.priority;
}

function endedOf(state: RunState | undefined): { ended?: boolean } {
  return state === undefined ? {} : { ended: isTerminalRun(state) };
}

function cursorOf(cursor: string | undefined): RunId | null {
  if (cursor === undefined) return null;
  const id = parseRunId(cursor);
  if (id === null) throw new ApiError('bad_request', 'this is no cursor', { field: 'cursor' });
  return id;
}
