import type { ScheduleSpec, SkipReason } from '../model/schedule.ts';

/** Everything that can happen to a schedule and its windows. */
export type ScheduleFact =
  | ScheduleSet
  | ScheduleRemoved
  | WindowFired
  | WindowsSkipped
  | WindowHeld
  | WindowMet;

interface OfSchedule {
  readonly partition: number;
  readonly tenant: string;
  readonly schedule: string;
  readonly at: number;
}

/** A version holds from now on. */
export interface ScheduleSet extends OfSchedule {
  readonly kind: 'scheduleSet';
  readonly version: number;
  readonly spec: ScheduleSpec;
  /** Windows up to here belong to earlier versions, or to nobody, and are decided. */
  readonly decidedUpTo: number;
  /** Windows up to here belong to the version before, decided or not; absent: up to `decidedUpTo`. */
  readonly until?: number;
}

export interface ScheduleRemoved extends OfSchedule {
  readonly kind: 'scheduleRemoved';
  readonly version: number;
}

/** A window has its run: of the same group, or it is none at all. */
export interface WindowFired extends OfSchedule {
  readonly kind: 'windowFired';
  readonly window: number;
  /** When it was to start; it is late by `at - planned`. */
  readonly planned: number;
  readonly run: number;
  readonly catchUp: boolean;
  /** Its version excludes overlap: no other run of the schedule lives beside it. */
  readonly exclusive: boolean;
}

/** Windows that get no run, or one that was held and gets none after all. */
export interface WindowsSkipped extends OfSchedule {
  readonly kind: 'windowsSkipped';
  readonly from: number;
  readonly to: number;
  readonly count: number | null;
  readonly reason: SkipReason;
}

export interface WindowHeld extends OfSchedule {
  readonly kind: 'windowHeld';
  readonly window: number;
}

/** An event came for a window: the run was made of it, in the same group. */
export interface WindowMet extends OfSchedule {
  readonly kind: 'windowMet';
  readonly window: number;
  readonly run: number;
}

type Made<F extends { kind: string }> = Omit<F, 'kind'>;

export const scheduleSet = (f: Made<ScheduleSet>): ScheduleSet => ({ kind: 'scheduleSet', ...f });
export const scheduleRemoved = (f: Made<ScheduleRemoved>): ScheduleRemoved => ({
  kind: 'scheduleRemoved',
  ...f,
});
export const windowFired = (f: Made<WindowFired>): WindowFired => ({ kind: 'windowFired', ...f });
export const windowsSkipped = (f: Made<WindowsSkipped>): WindowsSkipped => ({
  kind: 'windowsSkipped',
  ...f,
});
export const windowHeld = (f: Made<WindowHeld>): WindowHeld => ({ kind: 'windowHeld', ...f });
export const windowMet = (f: Made<WindowMet>): WindowMet => ({ kind: 'windowMet', ...f });

const KINDS: { readonly [K in ScheduleFact['kind']]: true } = {
  scheduleSet: true,
  scheduleRemoved: true,
  windowFired: true,
  windowsSkipped: true,
  windowHeld: true,
  windowMet: true,
};

export function isScheduleFact<F extends { readonly kind: string }>(
  fact: F,
): fact is F & ScheduleFact {
  return Object.hasOwn(KINDS, fact.kind);
}
