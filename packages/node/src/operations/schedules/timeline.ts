import { scheduleSpec } from '@signalbox/engine';
import type { Page, TimelineEntry } from '@signalbox/protocol';
import { ApiError } from '../../context.ts';
import { operation } from '../operation.ts';
import { iso } from './schedule-definition.ts';
import { liveSchedule, readSchedule } from './schedules.ts';
import { type WindowRun, windowRuns } from './window-runs.ts';
import { nextWindows } from './windows-of.ts';

const PLANNED_SHOWN = 10;

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
    for (const run of await windowRuns(context, caller.tenant, of)) entries.push(entryOf(run));
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
