import type { BulkAnswer, Page, RunView } from '@signalbox/protocol';
import {
  type Backend,
  BULK_MEMBERS,
  type BulkOptions,
  FILTER_MEMBERS,
  RUNS_MEMBERS,
  type RunsQuery,
} from './backend.ts';
import { checkOptions } from './known-members.ts';
import { RunHandle, readWithin, type WaitOptions } from './run-handle.ts';

const PAGE = 200;

export type Runs = ReturnType<typeof runsOf>;

/** The methods of `box.runs`. */
export function runsOf(backend: Backend) {
  return {
    get: (id: string): Promise<RunView> => backend.run(id, {}),
    /** Returns one page of runs, newest first; `next` is the cursor of the next page. */
    list: async (query: RunsQuery = {}): Promise<Page<RunView>> => {
      checkOptions('runs.list', query, RUNS_MEMBERS);
      return backend.runs(query);
    },
    /** Iterates over all runs, newest first; reads the pages on demand. */
    all: (query: Omit<RunsQuery, 'cursor'> = {}): AsyncIterable<RunView> => allRuns(backend, query),
    /** Cancels the runs that match, up to `limit` per call; continue with `next` as `cursor`. */
    cancel: async (options: BulkOptions): Promise<BulkAnswer> => {
      checkBulk('runs.cancel', options);
      return backend.changeAll('cancel', options);
    },
    /** Retries the failed runs that match, each as a new run, up to `limit` per call, like `cancel`. */
    retry: async (options: BulkOptions): Promise<BulkAnswer> => {
      checkBulk('runs.retry', options);
      return backend.changeAll('retry', options);
    },
    /**
     * Returns a handle of a run, to wait for the run or to cancel it. Throws a `SignalboxError` with the code
     * `timeout` if the node does not respond within `timeout`, 30 seconds by default.
     */
    handle: async (id: string, options: WaitOptions = {}): Promise<RunHandle<unknown>> => {
      const { job } = await readWithin(backend, id, options);
      return new RunHandle(backend, { id, job, created: false });
    },
  };
}

async function* allRuns(
  backend: Backend,
  query: Omit<RunsQuery, 'cursor'>,
): AsyncGenerator<RunView> {
  const { cursor: _, ...members } = RUNS_MEMBERS;
  checkOptions('runs.all', query, members);
  for (let cursor: string | undefined; ; ) {
    const page = await backend.runs({ limit: PAGE, ...query, cursor });
    yield* page.items;
    if (page.next === undefined) return;
    cursor = page.next;
  }
}

function checkBulk(call: string, options: BulkOptions): void {
  checkOptions(call, options, BULK_MEMBERS);
  checkOptions(`the filter of ${call}`, options.filter, FILTER_MEMBERS);
}
