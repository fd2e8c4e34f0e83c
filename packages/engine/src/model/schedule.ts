import type { CalendarData } from '../cron/calendar.ts';
import type { DstGap, DstOverlap } from '../cron/cron.ts';
import type { Class } from './classes.ts';
import { hashText } from './partition.ts';
import type { JobSpec } from './spec.ts';
import type { Timed } from './timer-wheel.ts';

/** When a schedule is due: everything from which its windows are computed. */
export type When =
  | {
      readonly kind: 'cron';
      readonly expr: string;
      /** An IANA name. */
      readonly zone: string;
      readonly dstGap?: DstGap;
      readonly dstOverlap?: DstOverlap;
      /** Days on which nothing is due. */
      readonly calendar?: CalendarData;
    }
  /** Every so often, counted from a fixed instant: never from when something ran. */
  | { readonly kind: 'interval'; readonly everyMs: number; readonly anchorAt: number }
  | { readonly kind: 'instant'; readonly at: number };

/** The windows of a `When`, as instants in milliseconds. Both answers are strictly beyond `at`. */
export interface Recurrence {
  next(at: number): number | null;
  previous(at: number): number | null;
}

export const OVERLAPS = ['allow', 'skip', 'queueOne', 'queueAll', 'replace'] as const;
export type Overlap = (typeof OVERLAPS)[number];

export interface CatchUp {
  /** Missed windows that still run; 0 for none. */
  readonly windowsMax: number;
  /** Older ones do not run. */
  readonly ageMsMax: number;
  /** Which ones are chosen where there are more; they run in the order of their windows. */
  readonly order: 'newest' | 'oldest';
}

/** One version of a schedule, immutable. */
export interface ScheduleSpec {
  readonly job: string;
  readonly when: When;
  readonly paused: boolean;
  readonly jitterMs: number;
  /** A window that starts no later than this is late; beyond it, or once the next is due, it is missed. */
  readonly graceMs: number;
  readonly catchUp: CatchUp;
  readonly overlap: Overlap;
  /** What becomes of the windows of a pause: they pass, or are missed ones. */
  readonly afterPause: 'next' | 'catchUp';
  /** First and last instant that a window may have. */
  readonly startAt: number | null;
  readonly endAt: number | null;
  /** Windows that fire in all; then the schedule has ended. */
  readonly runsMax: number | null;
  /** Absent: the job's own. */
  readonly class: Class | null;
  /** JSON text that every run gets as its input; `${…}` in it stands for an expression over the window. */
  readonly input: string | null;
  /** A window fires only if no event came for it in time. */
  readonly expects?: Expectation;
}

/** An event is expected at every window; how long it is waited for, and what a later one does. */
export interface Expectation {
  readonly trigger: string;
  readonly bufferMs: number;
  /** `run`: it starts a run like any other. `skip`: the run that stood in for it is all there is. */
  readonly late: 'run' | 'skip';
}

export const DEFAULT_SCHEDULE: Omit<ScheduleSpec, 'job' | 'when'> = {
  paused: false,
  jitterMs: 0,
  graceMs: 60_000,
  catchUp: { windowsMax: 3, ageMsMax: 31 * 86_400_000, order: 'newest' },
  overlap: 'allow',
  afterPause: 'next',
  startAt: null,
  endAt: null,
  runsMax: null,
  class: null,
  input: null,
};

/** What an author writes; everything but the job and the time has a default, so old ones stay readable. */
export interface ScheduleDefinition extends Partial<Omit<ScheduleSpec, 'catchUp'>> {
  readonly job: string;
  readonly when: When;
  readonly catchUp?: Partial<CatchUp>;
}

export function scheduleSpec(definition: ScheduleDefinition): ScheduleSpec {
  return { ...DEFAULT_SCHEDULE, ...definition, catchUp: catchUpOf(definition.catchUp) };
}

/** Most say nothing of it: shared, because there may be very many schedules. */
function catchUpOf(said: Partial<CatchUp> | undefined): CatchUp {
  const usual = DEFAULT_SCHEDULE.catchUp;
  const { windowsMax, ageMsMax, order } = { ...usual, ...said };
  const isUsual =
    windowsMax === usual.windowsMax && ageMsMax === usual.ageMsMax && order === usual.order;
  return isUsual ? usual : { windowsMax, ageMsMax, order };
}

/**
 * Why a window has no run, as stable codes: the same in facts, timeline, metrics and docs.
 */
export const SKIP_REASONS = {
  catch_up_off: 'the window was missed, and the schedule does not catch up',
  catch_up_limit: 'more windows were missed than catchUp.maxWindows allows',
  too_old: 'the window was missed longer ago than catchUp.maxAge allows',
  overlap: 'the run of an earlier window had not ended',
  queue_full: 'the queue of held windows was full',
  replaced: 'a later window replaced the held window',
  paused: 'the schedule was paused',
  job_paused: 'the job was paused',
  job_deleted: 'the job was deleted',
  removed: 'the schedule was deleted before the held or missed window could run',
  event_came: 'the expected event arrived in time',
  input_failed: 'the input template could not be evaluated',
  edited: 'the times of the schedule changed while it waited for an event',
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;

/** Windows from one to another, both included, that have no run. */
export interface Skip {
  readonly from: number;
  readonly to: number;
  /** How many; null where there were too many to count. */
  readonly count: number | null;
  readonly reason: SkipReason;
  readonly at: number;
}

/** What is known of the job, so that its next run can be made. Not a fact: it is asked for. */
export type JobHead =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'ready'; readonly spec: JobSpec }
  | { readonly kind: 'paused' }
  | { readonly kind: 'deleted' };

export const UNKNOWN_JOB: JobHead = { kind: 'unknown' };
export const SKIPS_KEPT = 50;
export const HELD_MAX = 100;
/** Live runs that a schedule knows, the newest: a backlog must not grow in memory twice. */
export const LIVE_KEPT = 1_000;
/** Versions whose windows wait for the end of a pause; each may carry an input of its own. */
export const EARLIER_MAX = 20;

/** A version that was edited while windows of its time had no run yet. */
export interface EarlierVersion {
  readonly spec: ScheduleSpec;
  /** Windows up to here, and behind the version before it, are windows of this version. */
  readonly upTo: number;
}

/** A schedule as the owner of its partition knows it. The first part is the fold of its facts. */
export class Schedule implements Timed {
  readonly kind = 'schedule';
  readonly partition: number;
  readonly tenant: string;
  readonly name: string;
  version: number;
  spec: ScheduleSpec;
  /** Every window up to here is decided: it has fired, was skipped, or is held (I10). */
  decidedUpTo: number;
  firedCount = 0;
  lastFiredAt = 0;
  /** Windows that wait for the run before them to end; oldest first. */
  held: number[] | null = null;
  /** Live runs of its windows, oldest first; an edit may exclude overlap at any time. */
  live: Set<number> | null = null;
  /**
   * Versions before this one of which windows are held or undecided, oldest first. Their windows run
   * with what their author wrote, also after an edit.
   */
  earlier: EarlierVersion[] | null = null;
  skips: Skip[] | null = null;
  /** Windows still to be decided for which an event came, and the run that was made of it. */
  met: Map<number, number> | null = null;
  /** The newest window that no event came for, and the run that stood in. */
  gaveUp: { readonly window: number; readonly seq: number; readonly ms: number } | null = null;

  // Derived: what the fold does not tell.
  job: JobHead = UNKNOWN_JOB;
  /** The group in which an event last met a window. Before it is durable, the event may never have come. */
  metIn = 0;
  /** The next of the same job; the book knows the first. */
  sibling: Schedule | null = null;
  /** Its time has come and it waits for its turn. */
  isDue = false;
  timerAt = 0;
  timerBucket: Timed['timerBucket'] = null;
  timerPrevious: Timed | null = null;
  timerNext: Timed | null = null;

  constructor(params: {
    partition: number;
    tenant: string;
    name: string;
    version: number;
    spec: ScheduleSpec;
    decidedUpTo: number;
  }) {
    this.partition = params.partition;
    this.tenant = params.tenant;
    this.name = params.name;
    this.version = params.version;
    this.spec = params.spec;
    this.decidedUpTo = params.decidedUpTo;
  }
}

/** The version that a window without a run belongs to. */
export function specOf(schedule: Pick<Schedule, 'spec' | 'earlier'>, window: number): ScheduleSpec {
  return schedule.earlier?.find(({ upTo }) => window <= upTo)?.spec ?? schedule.spec;
}

export function scheduleKey(tenant: string, name: string): string {
  return `${tenant}\n${name}`;
}

/** The name of a window in the world: unique, because a schedule has one window at an instant. */
export function windowId(tenant: string, schedule: string, window: number): string {
  return `${tenant}/${schedule}@${window}`;
}

/**
 * When a window is to start. The delay is a hash of the window's name, so every owner plans the same
 * one, and shorter than the gap to the next window, so plans rise with their windows.
 */
export function plannedStart(
  of: Pick<Schedule, 'tenant' | 'name' | 'spec' | 'earlier'>,
  window: number,
  nextWindow: number | null,
): number {
  const { jitterMs, expects } = specOf(of, window);
  if (expects !== undefined) return window + expects.bufferMs;
  if (jitterMs === 0) return window;
  const span = nextWindow === null ? jitterMs : Math.min(jitterMs, nextWindow - window);
  return window + (hashText(windowId(of.tenant, of.name, window)) % span);
}
