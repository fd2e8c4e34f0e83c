import type { Condition } from './condition.ts';
import type { Ref, Referring } from './reference.ts';

/** A task of a pipeline. Used as an input, it stands for its output. */
export interface Step<Output> extends Referring<Output> {
  readonly name: string;
  /** Reference to the output; its members are references too. */
  readonly output: Ref<Output>;
}

/** Options of every task of a pipeline. */
export interface StepOptions {
  /** Tasks that must end first, in addition to the tasks whose outputs are inputs. */
  readonly after?: readonly Step<unknown>[];
  /** If false, the task is SKIPPED. A string refers to tasks by name: `tasks.extract.output.rows > 0`. */
  readonly when?: Condition | string;
  /** What to do if a parent was SKIPPED. Default: `skip`. */
  readonly ifParentSkipped?: 'skip' | 'run';
}
