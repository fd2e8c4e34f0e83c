import type { Class } from './classes.ts';
import type { TaskLane } from './queues.ts';
import type { Shape } from './shape.ts';

/** What an attempt is charged at least, so that a tenant of very short tasks is charged at all. */
const CHARGE_MS_MIN = 1;
/** Assumed length of a tenant's first tasks, until real ones are known. */
const MEAN_MS_START = 100;
const MEAN_WEIGHT = 0.1;

/**
 * One tenant within one class, and what it has really used there: shares of the fleet times
 * seconds, not counts. The sum over running attempts is kept in closed form
 * (now × rate − Σ share × start), so an hour-long task is charged as it runs, not at its end.
 */
export class TenantClass {
  readonly tenant: string;
  readonly class: Class;
  weight = 1;
  /** How many of its attempts may run at once; P0 ignores it (PRI-11). */
  runningMax = Number.POSITIVE_INFINITY;
  running = 0;
  queued = 0;
  /** At its limit: out of the queues until an attempt ends. */
  held = false;
  /** Has ready tasks, and every one of them fits no worker there is: claims do not add up meanwhile. */
  idle = false;
  /** Ready tasks by shape. */
  readonly lanes = new Map<number, TaskLane>();
  /** Ready tasks that only a rule about themselves keeps from workers with room, by shape. */
  readonly stalled = new Map<Shape, number>();
  /** Use per weight, as last computed; the smallest is served first. */
  fairKey = 0;
  #done = 0;
  #rate = 0;
  #startSum = 0;
  #meanMs = MEAN_MS_START;

  constructor(tenant: string, klass: Class) {
    this.tenant = tenant;
    this.class = klass;
  }

  /** Nobody has said anything about this tenant. */
  get isDefault(): boolean {
    return this.weight === 1 && this.runningMax === Number.POSITIVE_INFINITY && !this.held;
  }

  /** Ready tasks in memory whose shape has this hash; of every shape where it is null. */
  queuedOf(shapeHash: string | null): number {
    if (shapeHash === null) return this.queued;
    let count = 0;
    for (const { queue, size } of this.lanes.values()) {
      if (queue.shape.hash === shapeHash) count += size;
    }
    for (const [shape, stalled] of this.stalled) if (shape.hash === shapeHash) count += stalled;
    return count;
  }

  /** Sets a ready task aside, or takes it back: it counts as queued all the while (paging). */
  stall(shape: Shape, by: 1 | -1): void {
    this.queued += by;
    const count = (this.stalled.get(shape) ?? 0) + by;
    if (count > 0) this.stalled.set(shape, count);
    else this.stalled.delete(shape);
  }

  started(share: number, at: number): void {
    this.running++;
    this.#rate += share;
    this.#startSum += share * at;
  }

  ended(share: number, startedAt: number, at: number): void {
    const ms = this.#stopped(share, startedAt, at);
    this.#meanMs += MEAN_WEIGHT * (ms - this.#meanMs);
  }

  /** An assignment that never began: it says nothing about how long the tenant's tasks take. */
  withdrawn(share: number, assignedAt: number, at: number): void {
    this.#stopped(share, assignedAt, at);
  }

  #stopped(share: number, startedAt: number, at: number): number {
    const ms = Math.max(CHARGE_MS_MIN, at - startedAt);
    this.running--;
    this.#done += share * ms;
    if (this.running === 0) {
      // Nothing runs, so the sums are zero; saying so keeps rounding from piling up.
      this.#rate = 0;
      this.#startSum = 0;
    } else {
      this.#rate -= share;
      this.#startSum -= share * startedAt;
    }
    return ms;
  }

  /** Share-milliseconds used so far. */
  used(now: number): number {
    return this.#done + now * this.#rate - this.#startSum;
  }

  /** Recomputes the key: used so far plus what its running attempts will most likely still use. */
  computeKey(now: number): number {
    this.fairKey = (this.used(now) + this.#rate * this.#meanMs) / this.weight;
    return this.fairKey;
  }

  /** A new weight counts from now on; over what was used before it would be a claim or a debt. */
  setWeight(weight: number, now: number): void {
    const key = this.computeKey(now);
    this.weight = weight;
    this.#done += key * weight - (this.used(now) + this.#rate * this.#meanMs);
    this.computeKey(now);
  }

  /** A tenant that comes back after a pause starts level with the others, not with saved-up claims. */
  catchUp(now: number, level: number): void {
    const missing = level * this.weight - (this.used(now) + this.#rate * this.#meanMs);
    if (missing > 0) this.#done += missing;
    this.computeKey(now);
  }
}
