import type { Core } from '../core/core.ts';
import { type Schedule, scheduleKey } from '../model/schedule.ts';
import { ail, arm, hasEnded, recurrenceOf } from './arm.ts';
import { type Deciding, decideWindow, releaseHeld } from './decide-window.ts';
import { COUNT_MAX, dueWindows, type WindowDecision } from './due-windows.ts';
import type { TriggerPorts } from './ports.ts';

/** Inputs of windows that one step may add to a commit: each schedule may have a large one. */
const STEP_BYTES_MAX = 8_388_608;

/**
 * Decides the windows of schedules that are due, a bounded number of schedules at a time. While
 * nothing can be stored nothing is decided: the windows are late, and memory stays bounded however
 * long the store is away. Answers whether there is more to do at once.
 */
export function openWindows(core: Core, ports: TriggerPorts): boolean {
  if (core.dueSchedules.size === 0 || core.pauseFrom === 0) return false;
  const bytesUpTo = core.pendingBytes + STEP_BYTES_MAX;
  for (let cost = 0; cost < core.settings.schedulesPerStep; cost++) {
    if (core.pendingBytes >= bytesUpTo) break;
    const schedule = core.dueSchedules.shift();
    if (schedule === undefined) return false;
    if (!schedule.isDue) continue;
    schedule.isDue = false;
    const book = core.books.get(schedule.partition);
    // It was removed, or belongs to an ownership that has ended.
    if (book?.schedules.get(scheduleKey(schedule.tenant, schedule.name)) !== schedule) continue;
    cost += openSchedule({ core, book, schedule, ports });
  }
  return core.dueSchedules.size > 0;
}

/** Answers what it cost beyond a look, in looks. */
function openSchedule(deciding: Deciding): number {
  const { core, schedule, ports } = deciding;
  core.undecidedSchedules.delete(schedule);
  // A pause starts nothing: what is held waits for its end as well.
  if (schedule.spec.paused || wantsJob(core, schedule)) return 0;
  const heldBefore = schedule.held?.length ?? 0;
  releaseHeld(deciding);
  const cost = decideDue(deciding);
  // Armed for a window that is due and cannot be decided yet, it would be looked at without pause.
  const isUndecided = core.undecidedSchedules.has(schedule);
  if (schedule.timerBucket === null && !isUndecided) arm(core, schedule, ports);
  return cost + heldBefore;
}

/** Without its job no run can be made; it is asked for, and the schedule comes back with the answer. */
export function wantsJob(core: Core, schedule: Schedule): boolean {
  if (schedule.job.kind !== 'unknown') return false;
  const { partition, tenant, spec } = schedule;
  core.jobsWanted.set(scheduleKey(tenant, spec.job), { partition, tenant, job: spec.job });
  return true;
}

/** Counting windows that were missed is cheaper than looking at a schedule: so many are one look. */
const COUNTED_PER_LOOK = 20;

/**
 * Decides every due window; with `closing`, every window up to there, due or not. Answers what that
 * cost, in looks at a schedule: after a long outage a few schedules are as much work as a midnight.
 * Stops at a window that cannot be decided yet: the schedule is then among `undecidedSchedules`.
 */
export function decideDue(deciding: Deciding, closing?: number): number {
  const { core, schedule, ports } = deciding;
  if (hasEnded(schedule)) return 0;
  let decisions: WindowDecision[];
  try {
    const recurrence = recurrenceOf(schedule, ports);
    const until = closing === undefined ? {} : { closing };
    decisions = dueWindows({ of: schedule, recurrence, now: core.now, ...until });
  } catch (error) {
    // Only the computing of windows is forgiven: a broken invariant still stops the node.
    ail(core, schedule, error);
    return 0;
  }
  let cost = 0;
  for (const decision of decisions) {
    if (hasEnded(schedule)) break;
    if (!decideWindow(deciding, decision)) break;
    cost += decision.kind === 'fire' ? 1 : (decision.count ?? COUNT_MAX) / COUNTED_PER_LOOK;
  }
  return cost;
}
