import { formatRunId, isTerminalRun } from '@signalbox/engine';
import { type BulkAnswer, RUN_STATES, type RunFilter, type RunState } from '@signalbox/protocol';
import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';
import { operation } from '../common/operation.ts';
import { paged } from '../common/paged.ts';
import { cancelRun, reasonOf } from './change-run.ts';
import { pageOfRuns } from './page-of-runs.ts';
import { retryRun } from './retry-run.ts';

/** Default number of runs that one step changes; a dry run counts as many as it may read. */
const STEP = 100;
export const STEP_MAX = 1_000;
const DRY_RUN_MAX = 10_000;
const IDS_SHOWN = 100;
/** Changed at once, so that they share commits. */
const AT_ONCE = 50;

export interface BulkChange {
  readonly filter: RunFilter;
  readonly reason?: string;
  /** Only returns the runs that would change. */
  readonly dryRun?: boolean;
  readonly limit?: number;
  readonly cursor?: string;
}

const OPEN: ReadonlySet<RunState> = new Set(RUN_STATES.filter((state) => !isTerminalRun(state)));
/** Cancelled runs only if the filter selects them: a user wanted those to end. */
const RETRY: Readonly<Record<RunState, 'always' | 'if selected' | 'never'>> = {
  PENDING: 'never',
  RUNNING: 'never',
  PAUSED: 'never',
  SUCCEEDED: 'never',
  PARTIAL: 'always',
  FAILED: 'always',
  CANCELLED: 'if selected',
};
const RETRIED: ReadonlySet<RunState> = new Set(
  RUN_STATES.filter((state) => RETRY[state] === 'always'),
);
const RETRYABLE: ReadonlySet<RunState> = new Set(
  RUN_STATES.filter((state) => RETRY[state] !== 'never'),
);

/** Cancels the runs that match and have not ended: a bounded step, with a cursor for the next. */
export const cancelRuns = operation(
  paged(
    'cancel',
    (context, caller, params: BulkChange) =>
      changeRuns({ context, caller, params, states: statesOf(params, OPEN, OPEN) }, async (id) => {
        await cancelRun(context, caller, { id, ...reasonIn(params) });
        return null;
      }),
    ({ filter }) => filter,
  ),
);

/** Tries the runs that match and did not succeed again, each as a new run. */
export const retryRuns = operation(
  paged(
    'retry',
    async (context, caller, params: BulkChange) => {
      const states = statesOf(params, RETRIED, RETRYABLE);
      return changeRuns({ context, caller, params, states }, async (id) => {
        return (await retryRun(context, caller, { id, ...reasonIn(params) })).id;
      });
    },
    ({ filter }) => filter,
  ),
);

function reasonIn({ reason }: BulkChange): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

/** An empty filter would change everything, so it is refused: at least one field is required. */
function statesOf(
  { filter }: BulkChange,
  usual: ReadonlySet<RunState>,
  allowed: ReadonlySet<RunState>,
): ReadonlySet<RunState> {
  if (Object.values(filter).every((value) => value === undefined)) {
    const message = 'the filter must have at least one field, such as job or state';
    throw new ApiError('invalid', message, { field: 'filter' });
  }
  if (filter.state === undefined) return usual;
  if (allowed.has(filter.state)) return allowed;
  const message = `this request cannot change runs in the state ${filter.state}; use one of ${[...allowed].join(', ')}`;
  throw new ApiError('invalid', message, { field: 'filter.state' });
}

interface Step {
  readonly context: NodeContext;
  readonly caller: Caller;
  readonly params: BulkChange;
  readonly states: ReadonlySet<RunState>;
}

/** `change` returns the id of the run that it made, or null. */
async function changeRuns(
  { context, caller, params, states }: Step,
  change: (id: string) => Promise<string | null>,
): Promise<BulkAnswer> {
  const { filter, dryRun = false, cursor } = params;
  reasonOf({ id: '', ...reasonIn(params) });
  const limit = dryRun ? DRY_RUN_MAX : Math.min(params.limit ?? STEP, STEP_MAX);
  const { views, next } = await pageOfRuns(context, caller.tenant, {
    filter,
    states,
    cursor,
    limit,
  });
  const ids = views.map(({ id }) => formatRunId(id));
  const failed: { id: string; code: string; message: string }[] = [];
  const created: { id: string; retryOf: string }[] = [];
  for (let at = 0; at < ids.length && !dryRun; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    const results = await Promise.allSettled(some.map(change));
    for (const [i, result] of results.entries()) {
      const id = some[i] as string;
      if (result.status === 'rejected') failed.push({ id, ...failureOf(result.reason) });
      else if (result.value !== null) created.push({ id: result.value, retryOf: id });
    }
  }
  return {
    dryRun,
    count: ids.length,
    ids: ids.slice(0, IDS_SHOWN),
    done: dryRun ? 0 : ids.length - failed.length,
    failed,
    ...(created.length === 0 ? {} : { created }),
    ...(next === undefined ? {} : { next }),
  };
}

/** What is no error of the API is a defect, and must not pass for a run that could not be changed. */
function failureOf(error: unknown): { code: string; message: string } {
  if (!(error instanceof ApiError)) throw error;
  return { code: error.code, message: error.message };
}
