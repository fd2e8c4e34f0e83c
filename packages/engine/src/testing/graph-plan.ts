import fc from 'fast-check';
import type { FailurePolicy } from '../model/graph-spec.ts';
import type { TaskDefinition } from '../model/spec.ts';
import type { RunState, TaskState } from '../model/states.ts';

/** One task of a random graph, and how it will go. */
export interface PlannedTask {
  readonly name: string;
  /** Indexes of parents, all smaller than its own. */
  readonly after: readonly number[];
  readonly kind: 'worker' | 'sleep' | 'fanOut';
  readonly when: 'yes' | 'no' | null;
  readonly ifParentSkipped: 'skip' | 'run';
  readonly fails: boolean;
  /** Of its output: how many children a fan-out makes of it. */
  readonly total: number;
  /** Of a fan-out: which of its children fail. */
  readonly failing: readonly number[];
}

export interface Plan {
  readonly policy: FailurePolicy;
  readonly allowPartial: boolean | null;
  readonly tasks: readonly PlannedTask[];
}

export function planArbitrary(policies: readonly FailurePolicy[], size = 12): fc.Arbitrary<Plan> {
  const raw = fc.record({
    after: fc.array(fc.nat(size), { maxLength: 4 }),
    kind: fc.constantFrom(
      'worker' as const,
      'worker' as const,
      'sleep' as const,
      'fanOut' as const,
    ),
    when: fc.constantFrom(null, null, null, 'yes' as const, 'no' as const),
    ifParentSkipped: fc.constantFrom('skip' as const, 'run' as const),
    fails: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    total: fc.nat(4),
    failing: fc.array(fc.nat(8), { maxLength: 1 }),
  });
  return fc.record({
    policy: fc.constantFrom(...policies),
    allowPartial: fc.constantFrom(null, true, false),
    tasks: fc.array(raw, { minLength: 1, maxLength: size }).map((tasks) =>
      tasks.map((task, i): PlannedTask => {
        const after = [...new Set(task.after.filter((parent) => parent < i))];
        const kind = task.kind === 'fanOut' && after.length === 0 ? 'worker' : task.kind;
        // The first one runs in any case: a run may not end before anybody has looked at it.
        const own = i === 0 ? { kind: 'worker' as const, when: null } : { kind };
        return { ...task, name: `t${i}`, after, ...own };
      }),
    ),
  });
}

export function definitionOf({ tasks }: Plan): TaskDefinition[] {
  return tasks.map(({ name, after, kind, when, ifParentSkipped }) => ({
    name,
    after: after.map((parent) => `t${parent}`),
    ifParentSkipped,
    ...(when === null ? {} : { when }),
    ...(kind === 'sleep' ? { sleep: { forMs: 5_000 } } : {}),
    ...(kind === 'fanOut' ? { fanOut: { from: `t${after[0]}` } } : {}),
  }));
}

export interface Expected {
  readonly run: RunState;
  /** By the name of the task; children of fan-outs among them. */
  readonly tasks: Readonly<Record<string, TaskState>>;
}

/**
 * What must become of the run, by going through the tasks in their order and looking at their
 * parents: slow and obvious. Says nothing of FAIL_FAST, where it depends on what was first.
 */
export function expectedEnd(plan: Plan): Expected {
  const states: Record<string, TaskState> = {};
  for (const task of plan.tasks) {
    const parents = task.after.map((parent) => states[`t${parent}`] as TaskState);
    states[task.name] = stateOf(plan, task, parents);
    if (task.kind !== 'fanOut' || !ran(plan, task, parents)) continue;
    const from = task.after[0] as number;
    const count = states[`t${from}`] === 'SUCCEEDED' ? totalOf(plan, from) : 0;
    const children = Array.from({ length: count }, (_, i) => task.failing.includes(i));
    for (const [i, fails] of children.entries()) {
      states[`${task.name}_chunk_${i}`] = fails ? 'FAILED' : 'SUCCEEDED';
    }
    const failed = children.filter(Boolean).length;
    const tolerated = plan.policy === 'SKIP_FAILED' && failed < count;
    states[task.name] = failed === 0 || tolerated ? 'SUCCEEDED' : 'FAILED';
  }
  return { tasks: states, run: runState(plan, Object.values(states)) };
}

/** Only workers have an output; a fan-out of anything else asks for what is not there. */
function totalOf(plan: Plan, index: number): number {
  const parent = plan.tasks[index] as PlannedTask;
  return parent.kind === 'worker' ? parent.total : Number.NaN;
}

function ran(plan: Plan, task: PlannedTask, parents: readonly TaskState[]): boolean {
  const from = task.after[0] as number;
  const wrong = parents[0] === 'SUCCEEDED' && Number.isNaN(totalOf(plan, from));
  return !wrong && fate(plan, task, parents) === null;
}

function stateOf(plan: Plan, task: PlannedTask, parents: readonly TaskState[]): TaskState {
  const early = fate(plan, task, parents);
  if (early !== null) return early;
  if (task.kind === 'fanOut') return ran(plan, task, parents) ? 'SUCCEEDED' : 'FAILED';
  return task.kind === 'worker' && task.fails ? 'FAILED' : 'SUCCEEDED';
}

/** How it ends without beginning; null where it begins. */
function fate(plan: Plan, task: PlannedTask, parents: readonly TaskState[]): TaskState | null {
  const lost = parents.some((state) => state === 'FAILED' || state === 'CANCELLED');
  if (lost && plan.policy !== 'SKIP_FAILED') return 'CANCELLED';
  if (parents.includes('SKIPPED') && task.ifParentSkipped === 'skip') return 'SKIPPED';
  return task.when === 'no' ? 'SKIPPED' : null;
}

function runState({ policy, allowPartial }: Plan, states: readonly TaskState[]): RunState {
  if (states.every((state) => state === 'SUCCEEDED' || state === 'SKIPPED')) return 'SUCCEEDED';
  const partial = allowPartial ?? (policy === 'CONTINUE' || policy === 'SKIP_FAILED');
  return partial && states.includes('SUCCEEDED') ? 'PARTIAL' : 'FAILED';
}
