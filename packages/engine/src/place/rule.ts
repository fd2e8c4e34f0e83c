import type { Task } from '../model/run.ts';
import type { Shape } from '../model/shape.ts';
import type { Level, Worker, WorkerKind } from '../model/worker.ts';

/**
 * A placement rule is one small file. The same rules place, explain and simulate: each filter has
 * the reason that diagnosis shows, and says what could change its answer, so that a task that found
 * no worker is looked at again only when one of those things happens.
 */
export type WakeEvent = 'workerJoined' | 'capacityFreed' | 'workerChanged';

export type BlockReason =
  | 'NO_WORKER_ATTACHED'
  | 'WORKER_NOT_AVAILABLE'
  | 'WORKER_RESERVED'
  | 'NO_WORKER_CAPACITY'
  | 'REQUEST_TOO_LARGE'
  | 'ZONE_MISMATCH'
  | 'LABELS_MISMATCH'
  | 'NO_EXECUTOR'
  | 'KEPT_APART'
  | 'TRIED_THERE_LAST';

interface Filter {
  readonly reason: BlockReason;
  readonly wakeOn: readonly WakeEvent[];
}

/** Decided by standing properties of the worker's kind: computed once per shape and kind. */
export interface KindFilter extends Filter {
  readonly scope: 'kind';
  admits(shape: Shape, kind: WorkerKind): boolean;
}

/** Decided by what is free: computed once per shape and level. */
export interface LevelFilter extends Filter {
  readonly scope: 'level';
  admits(shape: Shape, level: Level): boolean;
}

/** Decided by this very worker and task. */
export interface WorkerFilter extends Filter {
  readonly scope: 'worker';
  admits(task: Task, worker: Worker): boolean;
}

/** Between 0 and 1; weighed by the settings. */
export interface ScoreRule {
  readonly name: 'locality' | 'tightFit' | 'balance' | 'zoneSpread';
  score(subject: { task: Task; level: Level; zoneUse: ZoneUse }): number;
}

/** How many attempts of a job run in each zone. */
export interface ZoneUse {
  countIn(job: string, zone: string): number;
  countAll(job: string): number;
}
