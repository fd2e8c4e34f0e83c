import type { Class } from './model/classes.ts';

/** How the rules of placement are weighed, and how hard each class looks. */
export interface PlacementSettings {
  readonly weights: {
    readonly locality: number;
    readonly tightFit: number;
    readonly balance: number;
    readonly zoneSpread: number;
  };
  /** Per class: how many candidates are looked at, and how many of them are scored. */
  readonly budgets: Readonly<Record<Class, { readonly look: number; readonly score: number }>>;
}

/** Everything in the engine that an operator may turn; all times in milliseconds. */
export interface EngineSettings {
  readonly placement: PlacementSettings;
  /** A worker that has not accepted by then loses the attempt (PLC-10). */
  readonly acceptMs: number;
  readonly heartbeatMs: number;
  /** Silent for this long is dead (LIV-02). */
  readonly silentMs: number;
  /** After its connection closed, a worker has this long to come back. */
  readonly reattachMs: number;
  /** Workers with critical tasks are asked this often, and are dead after `probeSilentMs` (LIV-04). */
  readonly probeMs: number;
  readonly probeSilentMs: number;
  /** A worker that refused although it seemed to have room gets nothing for this long. */
  readonly restMs: number;
  readonly progressMs: number;
  readonly softTimeoutFactor: number;
  readonly hardTimeoutFactor: number;
  /** Beyond the worker's own grace, before its capacity is taken for free again. */
  readonly stopSlackMs: number;
  readonly memoryFactor: number;
  readonly memoryMbMax: number;
  /**
   * Ready tasks kept in memory; the rest waits in the store. A queue alone may have `queueWindow`. A
   * class may always have `classWindow`, and more while all classes together have less than
   * `nodeWindow`: a backlog of one class is no reason to leave the memory of the others unused.
   */
  readonly queueWindow: number;
  readonly classWindow: number;
  readonly nodeWindow: number;
  /** Runs read at once; a queue that is alone gets larger pages. Nothing in a crowd keeps more than this. */
  readonly pageSize: number;
  /**
   * Bytes of inputs of waiting runs that one partition keeps in memory. Beyond it runs are parked, paged
   * in without their inputs, and an input is read when its task is assigned.
   */
  readonly inputBytesMax: number;
  /** Due times further ahead than this stay in the store. */
  readonly horizonMs: number;
  /** Retries released: per second in all and per failure class, per minute for one job (FLT-07). */
  readonly retriesPerSecond: number;
  readonly retriesPerSecondPerReason: number;
  readonly retriesPerMinutePerJob: number;
  /** Idempotency keys answered from memory; older ones are known to the store. */
  readonly keysKept: number;
  /** Assignments in one step, so that a huge fleet does not hold up everything else. */
  readonly assignmentsPerStep: number;
  /** Schedules looked at in one step, so that midnight does not hold up everything else. */
  readonly schedulesPerStep: number;
  /** Timers that one tick acts upon; what else is due follows with the next, a millisecond later. */
  readonly timersPerTick: number;
  /** Tasks of very large runs that may become ready within a second, over all of them (DAG-10). */
  readonly readyPerSecond: number;
  /** The most tasks that one run may ever have. */
  readonly runTasksMax: number;
  /** How often runs are looked through for those that do not move, and what that means (DAG-25). */
  readonly watchRunsMs: number;
  readonly stuckRunMs: number;
  /** How often fair shares are recomputed while tasks run. */
  readonly fairnessMs: number;
}

export const DEFAULT_SETTINGS: EngineSettings = {
  placement: {
    weights: { locality: 4, tightFit: 2, balance: 1, zoneSpread: 1 },
    budgets: {
      0: { look: 100, score: 10 },
      1: { look: 1000, score: 100 },
      2: { look: Number.POSITIVE_INFINITY, score: Number.POSITIVE_INFINITY },
    },
  },
  acceptMs: 30_000,
  heartbeatMs: 5_000,
  silentMs: 15_000,
  reattachMs: 5_000,
  probeMs: 5_000,
  probeSilentMs: 15_000,
  restMs: 1_000,
  progressMs: 600_000,
  softTimeoutFactor: 2,
  hardTimeoutFactor: 3,
  stopSlackMs: 5_000,
  memoryFactor: 2,
  memoryMbMax: 1_048_576,
  queueWindow: 120_000,
  classWindow: 50_000,
  nodeWindow: 120_000,
  pageSize: 500,
  inputBytesMax: 268_435_456,
  horizonMs: 3_600_000,
  retriesPerSecond: 5_000,
  retriesPerSecondPerReason: 500,
  retriesPerMinutePerJob: 100,
  keysKept: 50_000,
  assignmentsPerStep: 5_000,
  schedulesPerStep: 500,
  timersPerTick: 2_000,
  readyPerSecond: 5_000,
  runTasksMax: 200_000,
  watchRunsMs: 300_000,
  stuckRunMs: 1_800_000,
  fairnessMs: 100,
};
