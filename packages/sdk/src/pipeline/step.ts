import type { Condition } from './condition.ts';
import type { Ref, Referring } from './reference.ts';

/** A task of a pipeline, for those that come after it. Given as an input it stands for its output. */
export interface Step<Output> extends Referring<Output> {
  readonly name: string;
  /** What it will give; members of it can be given on. */
  readonly output: Ref<Output>;
}

/** What every task of a pipeline may say. */
export interface StepOptions {
  /** What must be done first, beside the tasks whose outputs it is given. */
  readonly after?: readonly Step<unknown>[];
  /** False: the task is SKIPPED. Text names its tasks itself: `tasks.extract.output.rows > 0`. */
  readonly when?: Condition | string;
  /** What a parent that was SKIPPED means for it; `skip` unless said. */
  readonly ifParentSkipped?: 'skip' | 'run';
}
