import { formatRunId, type RunHead, scheduleSpec, type WindowHead } from '@signalbox/engine';
import type { Page, TimelineEntry } from '@signalbox/protocol';
import type { StoredRun } from '@signalbox/store';
import { ApiError, type Caller, type NodeContext } from '../../context.ts';
import { operation } from '../operation.ts';
import { iso } from './schedule-definition.ts';
import { liveSchedule, readSchedule } from './schedules.ts';
import { nextWindows } from './windows-of.ts';

const PLANNED_SHOWN = 10;
const ROWS_PER_READ = 500;
/** Rows looked at for one page: a job with much other work must not cost all of its history. */
const LOOK_MAX = 20_000;

export interface WindowRun {
  readonly id: string;
  readonly ms: number;
  readonly window: WindowHead;
}

/**
 * What became of the windows of a schedule, newest first: what is planned, what is held, what has
 * fired and how late, what was skipped and why. Runs are read from their rows, skips from the owner.
 */
export const scheduleTimeline = operation(
  async (
    context,
    caller,
    params: { name: string; limit?: number },
  ): Promise<Page<TimelineEntry>> => {
    const limit = params.limit ?? 100;
    const definition = await readSchedule(context, caller, params.name);
    const live = liveSchedule(context, definition);
    if (live === null && !definition.deleted) {
      throw new ApiError('not_owner', 'another node holds this schedule', { retryAfterSeconds: 1 });
    }
    const spec = scheduleSpec(JSON.parse(definition.body));
    const entries: TimelineEntry[] = [];
    // What is to come is not to crowd out what has been.
    const plannedMax = Math.min(PLANNED_SHOWN, Math.floor(limit / 2));
    if (live !== null && !spec.paused) {
      const windows = nextWindows(spec, live.decidedUpTo, plannedMax);
      entries.push(...windows.map((at): TimelineEntry => ({ window: iso(at), state: 'planned' })));
    }
    for (const at of live?.held ?? []) entries.push({ window: iso(at), state: 'held' });
    for (const { from, to, count, reason } of live?.skips ?? []) {
      entries.push({
        window: iso(from),
        ...(to > from ? { until: iso(to) } : {}),
        state: 'skipped',
        reason,
        ...(count === null ? {} : { count }),
      });
    }
    const of = { job: spec.job, schedule: params.name, sinceMs: 0, limit };
    for (const run of await windowRuns(context, caller, of)) entries.push(entryOf(run));
    entries.sort((a, b) => (a.window < b.window ? 1 : -1));
    return { items: entries.slice(0, limit) };
  },
);

function entryOf({ id, ms, window }: WindowRun): TimelineEntry {
  const { at, planned, catchUp, backfill } = window;
  return {
    window: iso(at),
    state: backfill ? 'backfilled' : catchUp ? 'caughtUp' : 'fired',
    planned: iso(planned),
    ...(backfill ? {} : { lateMs: Math.max(0, ms - planned) }),
    run: id,
  };
}

/** Runs of windows of one schedule, newest first. */
export async function windowRuns(
  { store }: NodeContext,
  { tenant }: Caller,
  of: { job: string; schedule: string; sinceMs: number; limit: number },
): Promise<WindowRun[]> {
  const { job, schedule, sinceMs, limit } = of;
  const found: WindowRun[] = [];
  let before: StoredRun['run']['id'] | null = null;
  for (let looked = 0; looked < LOOK_MAX && found.length < limit; looked += ROWS_PER_READ) {
    const rows: StoredRun[] = await store.listRuns({ tenant, job, before, limit: ROWS_PER_READ });
    for (const { run } of rows) {
      if (run.id.ms < sinceMs) return found;
      if (!run.head.includes('"window"')) continue;
      const { window } = JSON.parse(run.head) as RunHead;
      if (window?.schedule !== schedule) continue;
      found.push({ id: formatRunId(run.id), ms: run.id.ms, window });
      if (found.length === limit) return found;
    }
    before = rows.at(-1)?.run.id ?? null;
    if (rows.length < ROWS_PER_READ) return found;
  }
  if (found.length < limit && sinceMs > 0) {
    throw new ApiError(
      'too_large',
      'the job has too many runs since then: ask for a shorter range',
    );
  }
  return found;
}
