import type { Fact, Task } from '@signalbox/engine';
import type { RunCounts } from './run-counts.ts';
import type { TenantClassCounts } from './tenant-class-counts.ts';

/** What is needed of an attempt when it ends, and its run may be gone from memory. */
export interface LiveAttempt {
  readonly assigned: Pick<
    Fact & { kind: 'taskAssigned' },
    'seq' | 'task' | 'attempt' | 'at' | 'worker'
  >;
  readonly task: Task;
  readonly counts: TenantClassCounts;
}

/** Below it the number of the run, above it the task: 131 072 of them fit into an exact number. */
const TASK_UNIT = 2 ** 36;

/** The live attempts of one partition, by run and task. */
export class LiveAttempts {
  readonly #attempts = new Map<number, LiveAttempt>();
  /** What is counted of each run in memory, by its number: a run is gone when its end is published. */
  readonly runs = new Map<number, RunCounts>();
  /** Whether attempts from before the partition was taken over are among them. */
  isComplete = false;

  set(live: LiveAttempt): void {
    this.#attempts.set(keyOf(live.assigned), live);
  }

  get(task: OfTask): LiveAttempt | undefined {
    return this.#attempts.get(keyOf(task));
  }

  delete(task: OfTask): void {
    this.#attempts.delete(keyOf(task));
  }
}

interface OfTask {
  readonly seq: number;
  readonly task: number;
}

/** A number, because a text for each fact is garbage; of the first task, a small one. */
function keyOf({ seq, task }: OfTask): number {
  return task * TASK_UNIT + seq;
}
