import type { Class } from './classes.ts';
import type { Shape } from './shape.ts';

/**
 * A queue's part that lives in the store only: runs parked there in order, to be paged in when the
 * queue in memory runs low. Parked runs cost nothing here but this.
 */
export interface Lane {
  readonly name: string;
  /** Runs beyond the cursor that have not been paged in. */
  parked: number;
  /** Everything up to here has been paged in: (sort, ms, seq) of the last one. */
  cursor: LaneCursor | null;
  /** Runs taken out of the lane one by one, ahead of the cursor; skipped when the page arrives. */
  taken: Set<number> | null;
}

export interface LaneCursor {
  readonly sort: number;
  readonly ms: number;
  readonly seq: number;
}

/** The lane of due times beyond the horizon. Its sort is the due time. */
export const DUE_LANE = 'due';

/** What the name of a lane of ready runs says. */
export interface QueueLane {
  readonly class: Class;
  readonly tenant: string;
  /** `Shape.hash`; null in lanes of an older journal, which hold every shape of the tenant. */
  readonly shape: string | null;
}

/**
 * One lane per class, tenant and shape, as in memory: runs that fit no worker must not hide the runs
 * behind them that do.
 */
export function queueLane(klass: Class, tenant: string, shape: Shape): string {
  return `q${klass}.${shape.hash}/${tenant}`;
}

const QUEUE_LANE = /^q([012])(?:\.([0-9a-z]+))?\/(.*)$/s;

/** Null for the due lane. */
export function parseQueueLane(name: string): QueueLane | null {
  const [, klass, shape, tenant] = QUEUE_LANE.exec(name) ?? [];
  if (klass === undefined || tenant === undefined) return null;
  return { class: Number(klass) as Class, tenant, shape: shape ?? null };
}
