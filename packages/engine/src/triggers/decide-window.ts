import { aboutSchedule } from '../core/alert.ts';
import type { Core } from '../core/core.ts';
import { windowFired, windowHeld, windowsSkipped } from '../facts/schedule-facts.ts';
import { encodeText } from '../facts/text.ts';
import { assertNever, invariant } from '../model/assert.ts';
import type { Book } from '../model/book.ts';
import type { RunHead, RunWindow } from '../model/run.ts';
import { formatRunId } from '../model/run-id.ts';
import {
  HELD_MAX,
  type Overlap,
  plannedStart,
  type Schedule,
  type ScheduleSpec,
  type SkipReason,
  specOf,
} from '../model/schedule.ts';
import { recurrenceOf, subjectOf } from './arm.ts';
import type { WindowDecision } from './due-windows.ts';
import type { TriggerPorts, WindowInput } from './ports.ts';

export interface Deciding {
  readonly core: Core;
  readonly book: Book;
  readonly schedule: Schedule;
  readonly ports: TriggerPorts;
}

type Fire = WindowDecision & { kind: 'fire' };
type Skipped = Omit<WindowDecision & { kind: 'skip' }, 'kind'>;

/**
 * Writes one decision down; what the job and the runs before it say comes first. False where it can
 * not be decided yet: it depends on a run whose key the store may refuse. A window recorded as skipped
 * because of a run that never existed would be lost.
 */
export function decideWindow(deciding: Deciding, decision: WindowDecision): boolean {
  const { schedule } = deciding;
  if (decision.kind === 'skip') skip(deciding, decision);
  else if (isMet(schedule, decision.window)) return skipMet(deciding, decision.window);
  else {
    const refusal = refusalOf(schedule);
    const { overlap } = specOf(schedule, decision.window);
    if (refusal !== null) skipOne(deciding, decision.window, refusal);
    else if (overlap !== 'allow' && isBusy(schedule)) avoidOverlap(deciding, decision, overlap);
    else return fire(deciding, decision);
  }
  return true;
}

/** An event came for it, and the version that it belongs to expects one. */
function isMet(schedule: Schedule, window: number): boolean {
  if (schedule.met === null || !schedule.met.has(window)) return false;
  return specOf(schedule, window).expects !== undefined;
}

function skipMet(deciding: Deciding, window: number): boolean {
  const { core, schedule } = deciding;
  if (schedule.metIn > core.durableGroup) return leaveUndecided(deciding);
  skipOne(deciding, window, 'event_came');
  return true;
}

/** The schedule is due again when its group is durable or was corrected. */
function leaveUndecided({ core, schedule }: Deciding): false {
  core.undecidedSchedules.add(schedule);
  return false;
}

/** Windows that waited for a run to end, as far as nothing is in their way any more. */
export function releaseHeld(deciding: Deciding): void {
  const { schedule, ports } = deciding;
  const { held } = schedule;
  while (held !== null && held.length > 0) {
    const window = held[0] as number;
    const spec = specOf(schedule, window);
    if (spec.overlap !== 'allow' && (schedule.live?.size ?? 0) > 0) return;
    const refusal = refusalOf(schedule);
    if (refusal !== null) skipOne(deciding, window, refusal);
    else {
      const next = spec.jitterMs === 0 ? null : recurrenceOf(schedule, ports).next(window);
      const planned = plannedStart(schedule, window, next);
      if (!fire(deciding, { kind: 'fire', window, planned, catchUp: false })) return;
    }
  }
}

function refusalOf({ job, name }: Schedule): SkipReason | null {
  invariant(job.kind !== 'unknown', 'I10', `windows of ${name} are decided without the job`);
  switch (job.kind) {
    case 'ready':
      return null;
    case 'paused':
      return 'job_paused';
    case 'deleted':
      return 'job_deleted';
    default:
      return assertNever(job);
  }
}

function isBusy({ live, held }: Schedule): boolean {
  return (live?.size ?? 0) > 0 || (held?.length ?? 0) > 0;
}

/** A run of an earlier window is live, or another window waits for that already. */
function avoidOverlap(deciding: Deciding, { window }: Fire, overlap: Overlap): void {
  const { schedule, ports } = deciding;
  const heldCount = schedule.held?.length ?? 0;
  switch (overlap) {
    case 'skip':
      return skipOne(deciding, window, 'overlap');
    case 'queueOne':
      return heldCount === 0 ? hold(deciding, window) : skipOne(deciding, window, 'overlap');
    case 'queueAll':
      return heldCount < HELD_MAX
        ? hold(deciding, window)
        : skipOne(deciding, window, 'queue_full');
    case 'replace': {
      for (const older of [...(schedule.held ?? [])]) skipOne(deciding, older, 'replaced');
      hold(deciding, window);
      const { partition } = schedule;
      const by = `schedule ${subjectOf(schedule)}`;
      for (const seq of [...(schedule.live ?? [])]) {
        ports.cancel({ kind: 'cancel', partition, seq, by, reason: 'replaced by a later window' });
      }
      // A run that had not begun ended at once.
      if ((schedule.live?.size ?? 0) === 0) releaseHeld(deciding);
      return;
    }
    case 'allow':
      return;
    default:
      return assertNever(overlap);
  }
}

/** The run and the mark: two facts of one group, so that there is never one without the other. */
function fire(deciding: Deciding, { window, planned, catchUp }: Fire): boolean {
  const { core, book, schedule, ports } = deciding;
  const { partition, tenant, name, job } = schedule;
  const spec = specOf(schedule, window);
  invariant(job.kind === 'ready', 'I10', `window ${window} of ${name} fires without the job`);
  const exclusive = spec.overlap !== 'allow';
  const at = { schedule: name, at: window };
  const input = inputOf(ports, spec, { ...at, kind: catchUp ? 'catchUp' : 'scheduled' });
  if (input !== null && 'error' in input) {
    skipOne(deciding, window, 'input_failed');
    const about = { ...aboutSchedule(schedule), window, since: core.now, reason: input.error };
    core.tell({ kind: 'alert', alert: 'windowInputFailed', about });
    return true;
  }
  const head: RunHead = {
    ...(planned > core.now ? { dueAt: planned } : {}),
    trigger:
      spec.expects === undefined
        ? { kind: 'schedule', of: name }
        : { kind: 'no_event', of: spec.expects.trigger },
    window: {
      ...at,
      planned,
      ...(catchUp ? { catchUp } : {}),
      ...(exclusive ? { exclusive } : {}),
    },
  };
  const command = {
    kind: 'submit',
    partition,
    spec: job.spec,
    head,
    input: input === null ? null : encodeText(input.text),
    ...(spec.class === null ? {} : { class: spec.class }),
  } as const;
  if (ports.awaitedGroup(command) !== null) return leaveUndecided(deciding);
  const answer = ports.submit(command);
  // TRG-27: the job itself has a live run, of another schedule or of somebody's making.
  if (answer.kind === 'duplicate') {
    skipOne(deciding, window, 'overlap');
    return true;
  }
  invariant(answer.kind === 'accepted', 'I10', `the run of window ${window} was ${answer.kind}`);
  const of = { partition, tenant, schedule: name, at: core.now };
  const fact = windowFired({ ...of, window, planned, run: answer.seq, catchUp, exclusive });
  core.emit(book, fact, null);
  if (core.now - planned > spec.graceMs) {
    const run = formatRunId(answer);
    const about = { ...aboutSchedule(schedule), run, window, since: planned };
    core.tell({ kind: 'alert', alert: 'windowLate', about });
  }
  return true;
}

/** Most say the same to every window: only what holds an expression is asked for. */
function inputOf(
  { windowInput }: TriggerPorts,
  { input }: ScheduleSpec,
  window: RunWindow,
): ReturnType<WindowInput> | null {
  if (input === null) return null;
  return input.includes('${') ? windowInput(input, window) : { text: input };
}

function hold({ core, book, schedule }: Deciding, window: number): void {
  const { partition, tenant, name } = schedule;
  const fact = windowHeld({ partition, tenant, schedule: name, at: core.now, window });
  core.emit(book, fact, null);
}

export function skipOne(deciding: Deciding, window: number, reason: SkipReason): void {
  skip(deciding, { from: window, to: window, count: 1, reason });
}

export function skip({ core, book, schedule }: Deciding, skipped: Skipped): void {
  const { partition, tenant, name } = schedule;
  const { from, to, count, reason } = skipped;
  const of = { partition, tenant, schedule: name, at: core.now };
  core.emit(book, windowsSkipped({ ...of, from, to, count, reason }), null);
}
