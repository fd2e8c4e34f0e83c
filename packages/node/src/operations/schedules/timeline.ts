import {
  compareRunIds,
  formatRunId,
  parseRunId,
  type RunId,
  type Schedule,
  scheduleSpec,
} from '@signalbox/engine';
import type { Page, TimelineEntry } from '@signalbox/protocol';
import { ApiError } from '../../errors/api-error.ts';
import { invalidCursor } from '../common/cursors.ts';
import { operation } from '../common/operation.ts';
import { paged } from '../common/paged.ts';
import { iso } from '../common/read-time.ts';
import { type WindowRun, windowRunsPage } from '../runs/window-runs.ts';
import { liveSchedule, readSchedule } from './schedules.ts';
import { nextWindows } from './windows-of.ts';

const PLANNED_SHOWN = 10;

/** An entry, and its place in the order in which windows were decided. */
interface TimelineParams {
  readonly name: string;
  readonly after?: string;
  readonly limit?: number;
}

interface Placed {
  readonly key: RunId;
  readonly entry: TimelineEntry;
}

/**
 * What became of the windows of a schedule: what is planned, what is held, what has fired and how late,
 * what was skipped and why. Runs are read from their rows, skips from the owner.
 *
 * Pages follow the order in which windows were decided, newest first, because rows are found in that
 * order: runs of a backfill, however old their windows are, come before runs that were made earlier.
 * Each page is in order of its windows. It may be short and still have a next one.
 */
export const scheduleTimeline = operation(
  paged(
    'timeline',
    async (context, caller, params: TimelineParams): Promise<Page<TimelineEntry>> => {
      const limit = params.limit ?? 100;
      const before = cursorOf(params.after);
      const definition = await readSchedule(context, caller, params.name);
      const live = liveSchedule(context, definition);
      if (live === null && !definition.deleted) {
        throw new ApiError('not_owner', 'this node does not own the schedule; retry', {
          retryAfterSeconds: 1,
        });
      }
      const spec = scheduleSpec(JSON.parse(definition.body));
      // What is to come is not to crowd out what has been.
      const plannedMax = before === null ? Math.min(PLANNED_SHOWN, Math.floor(limit / 2)) : 0;
      const planned =
        live === null || spec.paused ? [] : nextWindows(spec, live.decidedUpTo, plannedMax);
      const of = { job: spec.job, schedule: params.name, before, limit: limit - planned.length };
      const { runs, next } = await windowRunsPage(context, caller.tenant, of);
      const decided = [
        ...runs.map((run): Placed => ({ key: run.key, entry: entryOf(run) })),
        ...(live === null ? [] : placedOf(live)).filter(({ key }) => isBetween(key, next, before)),
      ].sort((a, b) => compareRunIds(b.key, a.key));
      const page = decided.slice(0, lengthOf(decided, of.limit));
      const entries = [
        ...planned.map((at): TimelineEntry => ({ window: iso(at), state: 'planned' })),
        ...page.map(({ entry }) => entry),
      ].sort((a, b) => (a.window < b.window ? 1 : -1));
      // What was cut off is found behind the last one that is shown.
      const last = decided.length > page.length ? (page.at(-1)?.key ?? null) : next;
      return { items: entries, ...(last === null ? {} : { next: formatRunId(last) }) };
    },
  ),
);

/** Held and skipped windows: decided when they came, at the earliest. */
function placedOf({ held, skips }: Schedule): Placed[] {
  return [
    ...(held ?? []).map(
      (at): Placed => ({ key: placeAt(at), entry: { window: iso(at), state: 'held' } }),
    ),
    ...(skips ?? []).map(({ from, to, count, reason }): Placed => {
      const until = to > from ? { until: iso(to) } : {};
      const counted = count === null ? {} : { count };
      const entry = { window: iso(from), ...until, state: 'skipped', reason, ...counted } as const;
      return { key: placeAt(from), entry };
    }),
  ];
}

/** As many as may be shown, and those that no cursor could tell from the last of them. */
function lengthOf(decided: readonly Placed[], limit: number): number {
  const last = decided[limit - 1];
  if (last === undefined) return decided.length;
  return decided.findLastIndex(({ key }) => compareRunIds(key, last.key) === 0) + 1;
}

/** Before every run of that millisecond. */
function placeAt(ms: number): RunId {
  return { ms, partition: 0, seq: 0 };
}

/** Not behind what was looked at (`from`, null for all), and behind what was shown before (`to`). */
function isBetween(key: RunId, from: RunId | null, to: RunId | null): boolean {
  if (from !== null && compareRunIds(key, from) < 0) return false;
  return to === null || compareRunIds(key, to) < 0;
}

function cursorOf(text: string | undefined): RunId | null {
  if (text === undefined) return null;
  const id = parseRunId(text);
  if (id === null) throw invalidCursor('after');
  return id;
}

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
