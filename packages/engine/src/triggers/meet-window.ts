import type { Answer, Command } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { holderOfKey, takeKey } from '../core/take-key.ts';
import { windowMet } from '../facts/schedule-facts.ts';
import { type Schedule, scheduleKey } from '../model/schedule.ts';
import { ail, recurrenceOf } from './arm.ts';
import type { TriggerPorts } from './ports.ts';

type Submit = Command & { kind: 'submit' };

/**
 * A run made of an event that was expected. It meets a window of its trigger: that one will not fire
 * for want of an event. The run and the mark are facts of one group, and the same owner decides both
 * ways, so a window has its event's run or the one that stands in, whatever comes in between.
 */
export function meetWindow(core: Core, command: Submit, ports: TriggerPorts): Answer {
  const { partition, spec, head } = command;
  const book = core.books.get(partition);
  const name = head.expects as string;
  const schedule = book?.schedules.get(scheduleKey(spec.tenant, name));
  const expects = schedule?.spec.expects;
  if (book === undefined || schedule === undefined || expects === undefined) {
    return ports.submit(command);
  }
  // Delivered again: the event has its run, whatever its window became.
  if (holderOfKey(core, command) !== undefined) return ports.submit(command);
  const window = windowOf(core, schedule, ports);
  const { gaveUp, decidedUpTo } = schedule;
  if (window === null && expects.late === 'skip' && gaveUp?.window === decidedUpTo) {
    const { seq, ms } = gaveUp;
    takeKey(core, command, { partition, seq, ms });
    return { kind: 'duplicate', partition, seq, ms };
  }
  const answer = ports.submit(command);
  if (answer.kind !== 'accepted' || window === null || schedule.met?.has(window)) return answer;
  const of = { partition, tenant: spec.tenant, schedule: name, at: core.now };
  core.emit(book, windowMet({ ...of, window, run: answer.seq }), null);
  schedule.metIn = core.groupNumber;
  return answer;
}

/**
 * The group that decides whether the events really came that met windows of the schedule. Not by their
 * runs: one of which no task is wanted has ended in the moment it was made.
 */
export function groupOfMeeting(
  core: Core,
  { partition, tenant, name }: { partition: number; tenant: string; name: string },
): number | null {
  const schedule = core.books.get(partition)?.schedules.get(scheduleKey(tenant, name));
  const group = schedule?.metIn ?? 0;
  return group > core.durableGroup ? group : null;
}

/**
 * The window that an event of now is for: the oldest that waits, but no earlier than half-way from the
 * window before it. What comes before that is late for the one before; an event that comes twice in
 * one window must not stand for tomorrow's.
 */
function windowOf(core: Core, schedule: Schedule, ports: TriggerPorts): number | null {
  if (schedule.spec.paused) return null;
  try {
    const recurrence = recurrenceOf(schedule, ports);
    let first: number | null = null;
    for (
      let window = recurrence.next(schedule.decidedUpTo);
      window !== null && core.now >= window - half(recurrence.previous(window), window);
      window = recurrence.next(window)
    ) {
      if (!schedule.met?.has(window)) return window;
      first ??= window;
    }
    return first;
  } catch (error) {
    ail(core, schedule, error);
    return null;
  }
}

function half(before: number | null, window: number): number {
  return before === null ? Number.POSITIVE_INFINITY : (window - before) / 2;
}
