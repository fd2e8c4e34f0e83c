import { formatRunId, type RunHead, type RunId, type WindowHead } from '@signalbox/engine';
import { mayContinue, PAGE_BYTES, storedRunBytes } from '@signalbox/store';
import { ApiError, type NodeContext } from '../../context/index.ts';

const LIMITS = { limit: 500, bytes: PAGE_BYTES };
/** Rows looked at for one page: a job with much other work must not cost all of its history. */
const LOOK_MAX = 20_000;
/** The same in bytes: the detail of the end of a large run may have megabytes. */
const LOOK_BYTES_MAX = 268_435_456;

export interface WindowRun {
  readonly id: string;
  readonly ms: number;
  readonly window: WindowHead;
}

interface Wanted {
  readonly job: string;
  readonly schedule: string;
}

/** A run of the job, of whichever schedule; `window` is null where it is not of this one. */
interface Looked {
  readonly id: RunId;
  readonly window: WindowHead | null;
}

/**
 * Runs of windows of one schedule that were submitted before `before`, newest first. `next` is where to
 * go on, null where nothing is left; a page may be short, or empty, and still have a next one.
 */
export async function windowRunsPage(
  context: NodeContext,
  tenant: string,
  of: Wanted & { before: RunId | null; limit: number },
): Promise<{ runs: (WindowRun & { key: RunId })[]; next: RunId | null }> {
  const runs: (WindowRun & { key: RunId })[] = [];
  for await (const { id, window } of jobRuns(context, tenant, of)) {
    if (window === 'more') return { runs, next: id };
    if (window === null) continue;
    runs.push({ id: formatRunId(id), key: id, ms: id.ms, window });
    if (runs.length === of.limit) return { runs, next: id };
  }
  return { runs, next: null };
}

/** All runs of windows of one schedule since a time, newest first. */
export async function windowRunsSince(
  context: NodeContext,
  tenant: string,
  of: Wanted & { sinceMs: number },
): Promise<WindowRun[]> {
  const found: WindowRun[] = [];
  for await (const { id, window } of jobRuns(context, tenant, { ...of, before: null })) {
    if (id.ms < of.sinceMs) return found;
    if (window === 'more') {
      const message = 'the job has too many runs in this range; use a shorter range';
      throw new ApiError('too_large', message);
    }
    if (window !== null) found.push({ id: formatRunId(id), ms: id.ms, window });
  }
  return found;
}

/** The last item is `more` if one call may not read all runs. */
async function* jobRuns(
  { store }: NodeContext,
  tenant: string,
  { job, schedule, before: start }: Wanted & { before: RunId | null },
): AsyncGenerator<Looked | { readonly id: RunId; readonly window: 'more' }> {
  let before = start;
  let bytes = 0;
  for (let looked = 0; ; ) {
    const rows = await store.listRuns({ tenant, job, before, withPayloads: false, ...LIMITS });
    for (const row of rows) {
      const { id, head } = row.run;
      before = id;
      bytes += storedRunBytes(row);
      yield { id, window: windowOf(head, schedule) };
    }
    looked += rows.length;
    if (before === null || !mayContinue(rows, LIMITS, storedRunBytes)) return;
    if (looked < LOOK_MAX && bytes < LOOK_BYTES_MAX) continue;
    yield { id: before, window: 'more' };
    return;
  }
}

function windowOf(head: string, schedule: string): WindowHead | null {
  if (!head.includes('"window"')) return null;
  const { window } = JSON.parse(head) as RunHead;
  return window?.schedule === schedule ? window : null;
}
