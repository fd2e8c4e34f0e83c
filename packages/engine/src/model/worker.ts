import type { Resources } from './resources.ts';
import type { Attempt } from './run.ts';
import type { Shape } from './shape.ts';
import type { Timed } from './timer-wheel.ts';

/** What a worker says of itself when it attaches. */
export interface WorkerInfo {
  readonly name: string;
  /** New with every start of the process: what an earlier one held is gone. */
  readonly instance: string;
  readonly zone: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly executors: readonly string[];
  readonly total: Resources;
}

/** Why a worker gets no new attempt; the first that holds is the one that is named. */
export type WorkerStatus =
  | 'healthy'
  /** Did not accept in time; until it is heard of again. */
  | 'suspect'
  /** Refused although there should have been room; for a moment. */
  | 'resting'
  | 'cordoned'
  | 'draining'
  /** The connection is gone; its attempts wait a little for it to come back. */
  | 'detached';

/** Workers that any filter on standing properties treats alike: same zone, labels, executors, size. */
export interface WorkerKind {
  readonly id: number;
  readonly zone: string;
  /** The zone as a small number, for tables by zone. */
  readonly zoneId: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly executors: readonly string[];
  readonly total: Resources;
  /** Keys of the levels that the index has made of it. */
  readonly levels: Set<string>;
}

/**
 * Schedulable workers of one kind with the same free resources. Placement looks at levels, not at
 * workers: fifty thousand equal machines are a few dozen levels, and the best level is the best worker.
 */
export interface Level {
  readonly kind: WorkerKind;
  readonly free: Resources;
  readonly members: Worker[];
  /** Position in the index's list of levels with members; -1 while empty. */
  position: number;
  /** Where a member goes when it takes (or gives back) a shape; by shape id. */
  readonly afterTake: (Level | undefined)[];
  readonly afterGive: (Level | undefined)[];
  /** What placement thinks of this level for a shape, as far as only the two decide it; by shape id. */
  readonly standing: (number | undefined)[];
}

/** A worker as this node sees it. What it holds for other nodes it says itself (`foreignUse`). */
export class Worker implements Timed {
  readonly kind = 'worker';
  readonly info: WorkerInfo;
  readonly workerKind: WorkerKind;
  status: WorkerStatus = 'healthy';
  /** While detached: what it was before, because a drain or a cordon outlives its connection. */
  statusKept: WorkerStatus = 'healthy';
  free: Resources;
  /** Used by other nodes' attempts or by itself, as last reported. */
  foreignUse: Resources;
  /** Kept free of other work until this fits; see `core/reserve.ts`. */
  reservedFor: Shape | null = null;
  /** It holds more than it has: what one attempt gives back does not become free. */
  overdrawn = false;
  level: Level | null = null;
  levelIndex = -1;
  /** Live attempts, and superseded ones that have not left yet. */
  readonly attempts: Attempt[] = [];
  /** The superseded ones among them. */
  readonly lingering = new Map<Attempt, Timed>();
  /** Attempts that asked to be kept apart from some job: `repelKey` → how many. */
  repels: Map<string, number> | null = null;
  criticalCount = 0;
  /** By the node's clock; a worker's own clock never matters (LIV-05). */
  lastSeenAt: number;
  missedBeats = 0;
  /** How often in a row it let an assignment go unaccepted until it was suspect. */
  unaccepted = 0;
  /** Cordoned because of that since then, and not by a person; null: not so. */
  idleSince: number | null = null;
  detachedAt = 0;
  restUntil = 0;
  timerAt = 0;
  timerBucket: Timed['timerBucket'] = null;
  timerPrevious: Timed | null = null;
  timerNext: Timed | null = null;

  constructor(params: {
    info: WorkerInfo;
    workerKind: WorkerKind;
    foreignUse: Resources;
    lastSeenAt: number;
  }) {
    this.info = params.info;
    this.workerKind = params.workerKind;
    this.free = params.info.total;
    this.foreignUse = params.foreignUse;
    this.lastSeenAt = params.lastSeenAt;
  }
}

/** Jobs are kept apart within a tenant only: nobody may bar a worker to another's jobs by their name. */
export function repelKey(tenant: string, name: string): string {
  return `${tenant}\n${name}`;
}
