import { Deque } from '../model/deque.ts';
import type { Run, Task } from '../model/run.ts';
import type { Timed } from '../model/timer-wheel.ts';

/** How often what waits for its turn is looked at. */
const STEP_MS = 50;

/** So many per second, and a second's worth at once. */
class Bucket {
  readonly perSecond: number;
  left: number;
  #at: number;

  constructor(perSecond: number, now: number) {
    this.perSecond = perSecond;
    this.left = perSecond;
    this.#at = now;
  }

  refill(now: number): void {
    const earned = ((now - this.#at) * this.perSecond) / 1_000;
    this.left = Math.min(this.perSecond, this.left + earned);
    this.#at = now;
  }
}

interface Paced {
  readonly bucket: Bucket;
  readonly tasks: Deque<Task>;
}

/**
 * Hands out the tasks of very large runs at a pace (DAG-09, DAG-10): a hundred thousand that become
 * ready together must not hold up everybody else's. Runs with fewer tasks than a second's worth
 * never come here.
 */
export class Pacer implements Timed {
  readonly kind = 'pacer';
  timerAt = 0;
  timerBucket: Timed['timerBucket'] = null;
  timerPrevious: Timed | null = null;
  timerNext: Timed | null = null;
  readonly #all: Bucket;
  readonly #runs = new Map<Run, Paced>();

  constructor(perSecond: number) {
    this.#all = new Bucket(perSecond, 0);
  }

  get waiting(): number {
    let count = 0;
    for (const { tasks } of this.#runs.values()) count += tasks.size;
    return count;
  }

  /** When to come back, or null where nobody waits. */
  nextAt(now: number): number | null {
    for (const { tasks } of this.#runs.values()) if (tasks.size > 0) return now + STEP_MS;
    return null;
  }

  add(task: Task, now: number): void {
    const { run } = task;
    let paced = this.#runs.get(run);
    if (paced === undefined) {
      const bucket = new Bucket(run.spec.graph.readyPerSecond, now);
      paced = { bucket, tasks: new Deque() };
      this.#runs.set(run, paced);
    }
    paced.tasks.push(task);
  }

  /** Those whose turn has come, one of each run after the other. */
  take(now: number): Task[] {
    this.#all.refill(now);
    for (const { bucket } of this.#runs.values()) bucket.refill(now);
    const taken: Task[] = [];
    for (let before = -1; before !== taken.length; ) {
      before = taken.length;
      for (const { bucket, tasks } of this.#runs.values()) {
        if (tasks.size === 0 || bucket.left < 1 || this.#all.left < 1) continue;
        bucket.left--;
        this.#all.left--;
        taken.push(tasks.shift() as Task);
      }
    }
    this.#letGo();
    return taken;
  }

  /** Everything of the run that waits: it was paused, has ended, or is another node's now. */
  drop(run: Run): Task[] {
    const tasks = [...(this.#runs.get(run)?.tasks ?? [])];
    this.#runs.delete(run);
    return tasks;
  }

  /** Not while its bucket is low: forgotten, a run would start with a full one again. */
  #letGo(): void {
    for (const [run, { bucket, tasks }] of this.#runs) {
      if (tasks.size > 0) continue;
      if (run.openTasks === 0 || bucket.left >= bucket.perSecond) this.#runs.delete(run);
    }
  }
}
