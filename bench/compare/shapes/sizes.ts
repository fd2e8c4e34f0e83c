import type { Shape } from '../systems/system.ts';

/** How long and how much each shape measures. */
export interface Sizes {
  readonly warmMs: number;
  readonly windowMs: number;
  readonly submitMs: number;
  readonly drainTasks: number;
  readonly latencyTasks: number;
  readonly latencyGapMs: number;
  readonly latencyWarm: number;
  readonly cronSchedules: number;
  /** For making them before they are due. */
  readonly cronLeadMs: number;
  readonly backlogTasks: readonly number[];
  /** How many of a backlog are drained while the rest waits. */
  readonly backlogDrained: number;
  readonly historyTasks: readonly number[];
  readonly settleMs: number;
  readonly idleMs: number;
}

export const FULL: Sizes = {
  warmMs: 5_000,
  windowMs: 10_000,
  submitMs: 3_000,
  drainTasks: 100_000,
  latencyTasks: 500,
  latencyGapMs: 20,
  latencyWarm: 100,
  cronSchedules: 2_000,
  cronLeadMs: 20_000,
  backlogTasks: [1_000_000],
  backlogDrained: 300_000,
  historyTasks: [1_000_000],
  settleMs: 8_000,
  idleMs: 20_000,
};

/** To see whether it works, and what a change does, without waiting; the figures scatter more. */
export const SHORT: Sizes = {
  warmMs: 1_000,
  windowMs: 2_000,
  submitMs: 700,
  drainTasks: 30_000,
  latencyTasks: 100,
  latencyGapMs: 20,
  latencyWarm: 30,
  cronSchedules: 300,
  cronLeadMs: 8_000,
  backlogTasks: [100_000],
  backlogDrained: 30_000,
  historyTasks: [100_000],
  settleMs: 2_000,
  idleMs: 3_000,
};

/** What a reader should know of them about a shape. */
export function sizeWords(shape: Shape, sizes: Sizes): string {
  const seconds = (ms: number): string => `${ms / 1_000} s`;
  switch (shape) {
    case 'steady':
    case 'single':
    case 'pipeline':
    case 'tenants':
    case 'history':
      return `${seconds(sizes.windowMs)} after ${seconds(sizes.warmMs)}`;
    case 'submit':
      return `${seconds(sizes.submitMs)} each`;
    case 'drain':
      return `${sizes.drainTasks.toLocaleString('en')} waiting`;
    case 'latency':
      return `${sizes.latencyTasks} tasks ${sizes.latencyGapMs} ms apart`;
    case 'cron':
      return `${sizes.cronSchedules.toLocaleString('en')} schedules due at one minute`;
    case 'backlog':
      return `at most ${sizes.backlogDrained.toLocaleString('en')} of them drained`;
    case 'idle':
      return `${seconds(sizes.idleMs)} after ${seconds(sizes.settleMs)}`;
  }
}
