import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { scheduleRemoved, scheduleSet } from '../facts/schedule-facts.ts';
import type { Book } from '../model/book.ts';
import {
  EARLIER_MAX,
  type Schedule,
  type ScheduleSpec,
  type SkipReason,
  scheduleKey,
} from '../model/schedule.ts';
import { ail, arm, makeDue, recurrenceOf } from './arm.ts';
import { type Deciding, skip, skipOne } from './decide-window.ts';
import { countWindows } from './due-windows.ts';
import { decideDue, wantsJob } from './open-windows.ts';
import type { TriggerPorts } from './ports.ts';

type SetSchedule = Command & { kind: 'setSchedule' };

/**
 * Adopts a version of a schedule. Up to the moment of saving, windows belong to the version before
 * and are decided under it; the new one never reaches back behind a window that was decided. So an
 * edit repeats no window and drops none.
 */
export function setSchedule(core: Core, command: SetSchedule, ports: TriggerPorts): Answer {
  const { partition, tenant, schedule: name, version, spec, savedAt } = command;
  const book = core.books.get(partition);
  if (book === undefined) return NOT_OWNER;
  const key = scheduleKey(tenant, name);
  const known = book.schedules.get(key);
  const of = { partition, tenant, schedule: name, at: core.now };
  if (known === undefined) {
    const removed = book.removedSchedules.get(key);
    if (spec === null || version <= (removed?.version ?? 0)) return DONE;
    const first = firstMark(spec, savedAt);
    const decidedUpTo = removed === undefined ? first : Math.max(first, removed.decidedUpTo);
    core.emit(book, scheduleSet({ ...of, version, spec, decidedUpTo }), null);
    arm(core, book.schedules.get(key) as Schedule, ports);
    return DONE;
  }
  if (version <= known.version) return DONE;
  const replaced = spec === null || spec.job === known.spec.job;
  if (!replaced) return OTHER_JOB;
  const deciding = { core, book, schedule: known, ports };
  const until = savedAt - (known.spec.expects?.bufferMs ?? 0);
  const isOwed = owesPause(deciding, spec, savedAt);
  if (!isOwed && !close(deciding, until, spec)) return UNDECIDED;
  if (spec === null || !keepsWaiting(known.spec, spec)) endWaiting(deciding, savedAt);
  if (spec === null) return remove(deciding, version);
  const { decidedUpTo: mark } = known;
  const from = Math.max(mark, keepsWaiting(known.spec, spec) ? until : savedAt);
  const marks = isOwed ? { decidedUpTo: mark, until: from } : { decidedUpTo: from };
  core.emit(book, scheduleSet({ ...of, version, spec, ...marks }), null);
  arm(core, known, ports);
  if ((known.held?.length ?? 0) > 0) makeDue(core, known);
  return DONE;
}

/** One instant that has just passed is owed all the same (U046): how late, the policy judges. */
function firstMark({ when }: ScheduleSpec, savedAt: number): number {
  return when.kind === 'instant' ? Math.min(savedAt, when.at - 1) : savedAt;
}

/** An edit leaves the windows alone whose event is still waited for, unless it moves them. */
function keepsWaiting(before: ScheduleSpec, after: ScheduleSpec): boolean {
  if (before.expects === undefined || after.expects === undefined) return false;
  return (
    !before.paused && !after.paused && JSON.stringify(before.when) === JSON.stringify(after.when)
  );
}

/** Windows whose event was waited for and that the next version does not know are told of. */
function endWaiting(deciding: Deciding, until: number): void {
  const { expects, paused } = deciding.schedule.spec;
  if (expects !== undefined && !paused) passRange(deciding, until, 'edited');
}

/**
 * Whether windows of a pause stay undecided across the edit: they are caught up under their own
 * version when the pause ends. An edit that sets `next` within the pause gives them up.
 */
function owesPause(deciding: Deciding, after: ScheduleSpec | null, savedAt: number): boolean {
  const { paused, afterPause } = deciding.schedule.spec;
  if (!paused || afterPause === 'next' || after === null) return false;
  if (after.paused && after.afterPause === 'next') return false;
  if (owesNothing(deciding, savedAt)) return false;
  const { earlier, decidedUpTo } = deciding.schedule;
  const versions = earlier?.filter(({ upTo }) => upTo > decidedUpTo).length ?? 0;
  if (versions < EARLIER_MAX) return true;
  passRange(deciding, savedAt, 'catch_up_limit');
  return false;
}

/** Decides what the version that goes still owes; false where that is not possible yet. */
function close(deciding: Deciding, savedAt: number, after: ScheduleSpec | null): boolean {
  const { core, schedule } = deciding;
  const { paused, afterPause } = schedule.spec;
  if (paused) {
    const isCaughtUp = afterPause === 'catchUp' && after === null;
    passRange(deciding, savedAt, isCaughtUp ? 'removed' : 'paused');
    return true;
  }
  if (owesNothing(deciding, savedAt)) return true;
  if (wantsJob(core, schedule)) return false;
  // What is held is looked at again behind the edit.
  core.undecidedSchedules.delete(schedule);
  decideDue(deciding, savedAt);
  return !core.undecidedSchedules.has(schedule);
}

function owesNothing({ core, schedule, ports }: Deciding, savedAt: number): boolean {
  try {
    const window = recurrenceOf(schedule, ports).next(schedule.decidedUpTo);
    return window === null || window > savedAt;
  } catch (error) {
    // A schedule that cannot be computed must stay editable, or it could never be mended.
    ail(core, schedule, error);
    return true;
  }
}

/** Windows that nobody runs any more are told of as one range. */
function passRange(deciding: Deciding, until: number, reason: SkipReason): void {
  const { core, schedule, ports } = deciding;
  try {
    const recurrence = recurrenceOf(schedule, ports);
    const from = recurrence.next(schedule.decidedUpTo);
    if (from === null || from > until) return;
    const to = recurrence.previous(until + 1) as number;
    skip(deciding, { from, to, count: countWindows(recurrence, from, to), reason });
  } catch (error) {
    ail(core, schedule, error);
  }
}

function remove(deciding: Deciding, version: number): Answer {
  const { core, book, schedule } = deciding;
  for (const window of [...(schedule.held ?? [])]) skipOne(deciding, window, 'removed');
  const { partition, tenant, name } = schedule;
  core.wheel.disarm(schedule);
  const of = { partition, tenant, schedule: name, at: core.now };
  core.emit(book, scheduleRemoved({ ...of, version }), null);
  return DONE;
}

/** What is known of a job has changed: schedules that waited for it go on. */
export function setJob(core: Core, command: Command & { kind: 'setJob' }): Answer {
  const { partition, tenant, job, head } = command;
  const book: Book | undefined = core.books.get(partition);
  core.jobsWanted.delete(scheduleKey(tenant, job));
  for (const schedule of book?.schedulesOf(tenant, job) ?? []) {
    schedule.job = head;
    const waits = schedule.timerBucket === null || (schedule.held?.length ?? 0) > 0;
    if (waits) makeDue(core, schedule);
  }
  return DONE;
}

const NOT_OWNER: Answer = {
  kind: 'refused',
  code: 'not_owner',
  message: 'this node does not own the partition; retry',
};
const OTHER_JOB: Answer = {
  kind: 'refused',
  code: 'invalid',
  message: 'the job of a schedule cannot be changed; create another schedule for the other job',
};
const UNDECIDED: Answer = {
  kind: 'refused',
  code: 'unavailable',
  message: 'windows of the previous version are still being decided; retry',
};
