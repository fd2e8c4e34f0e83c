import type { Notification } from '../facts/graph-facts.ts';
import type { AsideRun } from './aside-run.ts';
import { invariant } from './assert.ts';
import type { Lane } from './lane.ts';
import type { Run } from './run.ts';
import { type Schedule, scheduleKey } from './schedule.ts';

export interface RemovedSchedule {
  readonly version: number;
  readonly decidedUpTo: number;
}

/**
 * One partition as its owner knows it: exactly the fold of its facts. Queues, timers and worker use
 * are derived from it and are kept elsewhere, so that a reader or a recovery can fold without them.
 */
export class Book {
  readonly partition: number;
  epoch: number;
  /** The next run number. */
  nextSeq = 1;
  /** Millisecond of the newest run id; ids never fall even if the clock does. */
  lastMs = 0;
  /** The next fencing token of this epoch. */
  nextToken = 1;
  readonly runs = new Map<number, Run>();
  readonly lanes = new Map<string, Lane>();
  /** Bytes of inputs held in memory. */
  inputBytes = 0;
  /** When the due lane was last read up to the horizon. */
  dueReadAt = 0;
  /** Runs that were taken out of the due lane alone and had ended when it was last tidied, and when. */
  dueEnded: readonly number[] = [];
  dueTidiedAt = 0;
  /** Live runs by (job, unique value). */
  readonly uniques = new Map<string, Run>();
  /** By `scheduleKey`. */
  readonly schedules = new Map<string, Schedule>();
  /** By `scheduleKey` of tenant and job, the first of the job's; each knows its next. */
  readonly #firstOfJob = new Map<string, Schedule>();
  /**
   * What is left of deleted schedules: a version that is told again must not bring one back to life,
   * and one that is saved anew must not decide its old windows again.
   */
  readonly removedSchedules = new Map<string, RemovedSchedule>();
  /** What somebody outside is still to be told, by its id. */
  readonly notifications = new Map<string, Notification & { readonly seq: number }>();
  /** Live runs that cannot be continued, by number. */
  readonly aside = new Map<number, AsideRun>();
  /** Live runs of windows, as far as their schedules know them. */
  readonly windowRuns = new Map<number, Schedule>();

  constructor(partition: number, epoch: number) {
    invariant(epoch > 0, 'I7', 'an owner writes under an epoch of its own');
    this.partition = partition;
    this.epoch = epoch;
  }

  lane(name: string): Lane {
    let lane = this.lanes.get(name);
    if (lane === undefined) {
      lane = { name, parked: 0, cursor: null, taken: null };
      this.lanes.set(name, lane);
    }
    return lane;
  }

  addSchedule(schedule: Schedule): void {
    this.schedules.set(scheduleKey(schedule.tenant, schedule.name), schedule);
    const job = scheduleKey(schedule.tenant, schedule.spec.job);
    const first = this.#firstOfJob.get(job);
    if (first === undefined) {
      this.#firstOfJob.set(job, schedule);
      return;
    }
    schedule.sibling = first.sibling;
    first.sibling = schedule;
  }

  /** Who must hear of a new version of the job. */
  *schedulesOf(tenant: string, job: string): Iterable<Schedule> {
    let schedule = this.#firstOfJob.get(scheduleKey(tenant, job)) ?? null;
    for (; schedule !== null; schedule = schedule.sibling) yield schedule;
  }

  removeSchedule(schedule: Schedule, version: number): void {
    const { decidedUpTo } = schedule;
    const key = scheduleKey(schedule.tenant, schedule.name);
    this.schedules.delete(key);
    this.removedSchedules.set(key, { version, decidedUpTo });
    for (const run of schedule.live ?? []) this.windowRuns.delete(run);
    this.#unlink(schedule);
  }

  #unlink(schedule: Schedule): void {
    const job = scheduleKey(schedule.tenant, schedule.spec.job);
    const first = this.#firstOfJob.get(job);
    if (first === schedule) {
      if (schedule.sibling === null) this.#firstOfJob.delete(job);
      else this.#firstOfJob.set(job, schedule.sibling);
    } else {
      let before = first;
      while (before !== undefined && before.sibling !== schedule)
        before = before.sibling ?? undefined;
      if (before !== undefined) before.sibling = schedule.sibling;
    }
    schedule.sibling = null;
  }
}

export function uniqueKey(tenant: string, job: string, unique: string): string {
  return JSON.stringify([tenant, job, unique]);
}
