import { aboutSchedule } from '../core/alert.ts';
import type { Core } from '../core/core.ts';
import type { Book } from '../model/book.ts';
import {
  plannedStart,
  type Recurrence,
  type Schedule,
  type ScheduleSpec,
  specOf,
} from '../model/schedule.ts';
import type { TriggerPorts } from './ports.ts';
import { bounded, joined } from './recurrence.ts';

/** A schedule whose windows cannot be computed is looked at again after this. */
const AILING_MS = 60_000;

export function recurrenceOf(schedule: Schedule, ports: TriggerPorts): Recurrence {
  // Not kept with the schedule: what many share is remembered once, what few use is parsed again.
  const windowsOf = (spec: ScheduleSpec) => bounded(ports.recurrenceOf(spec.when), spec);
  const { spec, earlier } = schedule;
  if (earlier === null) return windowsOf(spec);
  const versions = earlier.map((version) => ({
    recurrence: windowsOf(version.spec),
    upTo: version.upTo,
  }));
  return joined(versions, windowsOf(spec));
}

/**
 * It decides no further window, and that is as it should be. A window that is held will fire: not
 * counted, those that are held behind one long run would all run, however many were asked for.
 */
export function hasEnded({ spec, firedCount, held }: Schedule): boolean {
  return spec.runsMax !== null && firedCount + (held?.length ?? 0) >= spec.runsMax;
}

/**
 * I17: an active schedule has a next window and a timer for it. Where it has none although it was
 * not meant to end, somebody is told: a schedule that stops in silence is found when it is too late.
 */
export function arm(core: Core, schedule: Schedule, ports: TriggerPorts): void {
  core.wheel.disarm(schedule);
  if (schedule.spec.paused || hasEnded(schedule)) return;
  try {
    const recurrence = recurrenceOf(schedule, ports);
    const window = recurrence.next(schedule.decidedUpTo);
    if (window === null) return withoutNext(core, schedule);
    const after = specOf(schedule, window).jitterMs === 0 ? null : recurrence.next(window);
    core.wheel.arm(schedule, plannedStart(schedule, window, after));
  } catch (error) {
    ail(core, schedule, error);
  }
}

function withoutNext(core: Core, schedule: Schedule): void {
  const { when, endAt } = schedule.spec;
  if (when.kind === 'instant' || endAt !== null) return;
  const about = { ...aboutSchedule(schedule), since: schedule.decidedUpTo };
  core.tell({ kind: 'alert', alert: 'scheduleWithoutNext', about });
}

/** U041: one schedule that cannot be computed is set aside; the others do not notice. */
export function ail(core: Core, schedule: Schedule, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  const about = { ...aboutSchedule(schedule), since: core.now, reason };
  core.tell({ kind: 'alert', alert: 'scheduleFailed', about });
  core.wheel.arm(schedule, core.now + AILING_MS);
}

export function subjectOf({ tenant, name }: Schedule): string {
  return `${tenant}/${name}`;
}

/** The time of a schedule has come, or something that it waited for. */
export function makeDue(core: Core, schedule: Schedule): void {
  if (schedule.isDue) return;
  schedule.isDue = true;
  core.dueSchedules.push(schedule);
}

export function armAll(core: Core, book: Book, ports: TriggerPorts): void {
  core.unarmed.push({ book, schedules: book.schedules.values() });
  armSome(core, ports);
}

/** Arms schedules of partitions that came, as many as one step may. Answers whether there are more. */
export function armSome(core: Core, ports: TriggerPorts): boolean {
  for (let armed = 0; armed < core.settings.schedulesPerStep; ) {
    const [coming] = core.unarmed;
    if (coming === undefined) return false;
    const { value: schedule } = coming.schedules.next();
    if (schedule === undefined || core.books.get(coming.book.partition) !== coming.book) {
      core.unarmed.shift();
      continue;
    }
    armed++;
    // An edit or its job may have come first.
    if (schedule.timerBucket === null && !schedule.isDue) arm(core, schedule, ports);
    const isOwed = schedule.timerBucket !== null && schedule.timerAt <= core.now;
    if (isOwed) core.wheel.disarm(schedule);
    if (isOwed || (schedule.held?.length ?? 0) > 0) makeDue(core, schedule);
  }
  return core.unarmed.length > 0;
}

/** The partition has another owner. */
export function disarmAll(core: Core, book: Book): void {
  for (const schedule of book.schedules.values()) {
    core.wheel.disarm(schedule);
    schedule.isDue = false;
  }
  for (const [key, { partition }] of core.jobsWanted) {
    if (partition === book.partition) core.jobsWanted.delete(key);
  }
}
