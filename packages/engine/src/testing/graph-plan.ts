import fc from 'fast-check';
import type { FailurePolicy } from '../model/graph-spec.ts';
import type { TaskDefinition } from '../model/spec.ts';
import type { RunState, TaskState } from '../model/states.ts';

/** One task of a random graph, and how it will go. */
export interface PlannedTask {
  readonly name: string;
  /** Indexes of parents, all smaller than its own. */
  readonly after: readonly number[];
  readonly kind: 'worker' | 'sleep' | 'approval' | 'nested' | 'event' | 'fanOut';
  /** `failures`: only where a fan-out that it comes after had some. */
  readonly when: 'yes' | 'no' | 'failures' | null;
  readonly ifParentSkipped: 'skip' | 'run';
  readonly fails: boolean;
  /** Of an approval, or of that in a nested run: what becomes of it; `silence` without a default. */
  readonly answer: 'approve' | 'reject' | 'silence';
  readonly onReject: 'stop' | 'continue';
  /** Of its output: how many children a fan-out makes of it. */
  readonly total: number;
  /** Of a fan-out: which of its children fail. */
  readonly failing: readonly number[];
  /** Of a fan-out of a fan-out: once for each child of that, or for each that succeeded. */
  readonly overResults: boolean;
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
      'approval' as const,
      'nested' as const,
      'event' as const,
      'fanOut' as const,
      'fanOut' as const,
    ),
    when: fc.constantFrom(null, null, null, 'yes' as const, 'no' as const, 'failures' as const),
    ifParentSkipped: fc.constantFrom('skip' as const, 'run' as const),
    fails: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    answer: fc.constantFrom('approve' as const, 'reject' as const, 'silence' as const),
    onReject: fc.constantFrom('stop' as const, 'stop' as const, 'continue' as const),
    total: fc.nat(4),
    failing: fc.array(fc.nat(8), { maxLength: 1 }),
    overResults: fc.boolean(),
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
  return tasks.map(({ name, after, kind, when, ifParentSkipped, overResults, ...planned }) => ({
    name,
    after: after.map((parent) => `t${parent}`),
    ifParentSkipped,
    ...(when === null ? {} : { when }),
    ...(kind === 'sleep' ? { sleep: { forMs: 5_000 } } : {}),
    ...(kind === 'approval' ? { approval: approvalOf(planned) } : {}),
    ...(kind === 'nested' ? { run: { job: 'inner', onReject: planned.onReject } } : {}),
    ...(kind === 'event' ? { event: { type: 'never', timeoutMs: 5_000, default: 'skip' } } : {}),
    ...(kind === 'fanOut' ? { fanOut: fanOutOf(tasks, after[0] as number, overResults) } : {}),
  }));
}

function approvalOf({ answer, onReject }: Pick<PlannedTask, 'answer' | 'onReject'>) {
  return { timeoutMs: 5_000, onReject, ...(answer === 'silence' ? {} : { default: answer }) };
}

function fanOutOf(tasks: readonly PlannedTask[], from: number, overResults: boolean) {
  const isNested = tasks[from]?.kind === 'fanOut';
  return { from: `t${from}`, ...(isNested && overResults ? { path: 'results' } : {}) };
}

/** How many children a fan-out had, and how many of them succeeded. */
type Groups = Map<number, { readonly total: number; readonly succeeded: number }>;

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
  const groups: Groups = new Map();
  for (const [index, task] of plan.tasks.entries()) {
    const parents = task.after.map((parent) => states[`t${parent}`] as TaskState);
    const seen = { plan, task, parents, groups };
    states[task.name] = stateOf(seen);
    if (task.kind !== 'fanOut' || !ran(seen)) continue;
    const count = parents[0] === 'SUCCEEDED' ? totalOf(seen) : 0;
    const children = Array.from({ length: count }, (_, i) => task.failing.includes(i));
    for (const [i, fails] of children.entries()) {
      states[`${task.name}_chunk_${i}`] = fails ? 'FAILED' : 'SUCCEEDED';
    }
    const failed = children.filter(Boolean).length;
    groups.set(index, { total: count, succeeded: count - failed });
    const tolerated = plan.policy === 'SKIP_FAILED' && failed < count;
    states[task.name] = failed === 0 || tolerated ? 'SUCCEEDED' : 'FAILED';
  }
  return { tasks: states, run: runState(plan, Object.values(states)) };
}

interface Seen {
  readonly plan: Plan;
  readonly task: PlannedTask;
  /** How its parents ended. */
  readonly parents: readonly TaskState[];
  readonly groups: Groups;
}

/** Workers say how many; so do fan-outs. A fan-out of anything else asks for what is not there. */
function totalOf({ plan, task, groups }: Seen): number {
  const from = task.after[0] as number;
  const group = groups.get(from);
  if (group !== undefined) return task.overResults ? group.succeeded : group.total;
  const parent = plan.tasks[from] as PlannedTask;
  return parent.kind === 'worker' ? parent.total : Number.NaN;
}

function ran(seen: Seen): boolean {
  const wrong = seen.parents[0] === 'SUCCEEDED' && Number.isNaN(totalOf(seen));
  return !wrong && fate(seen) === null;
}

function stateOf(seen: Seen): TaskState {
  const { task } = seen;
  const early = fate(seen);
  if (early !== null) return early;
  switch (task.kind) {
    case 'fanOut':
      return ran(seen) ? 'SUCCEEDED' : 'FAILED';
    case 'worker':
      return task.fails ? 'FAILED' : 'SUCCEEDED';
    // Nothing comes, and silence means that it is left out.
    case 'event':
      return 'SKIPPED';
    case 'sleep':
      return 'SUCCEEDED';
    case 'approval':
      return ANSWERED[task.answer];
    // It ends as PARTIAL where its approval is not given.
    case 'nested':
      return task.answer === 'approve' || task.onReject === 'continue' ? 'SUCCEEDED' : 'FAILED';
  }
}

const ANSWERED = { approve: 'SUCCEEDED', reject: 'FAILED', silence: 'TIMED_OUT' } as const;

/** A gate lets nothing pass that stands behind it, however far, unless it says that it does. */
function isClosed(task: PlannedTask, state: TaskState): boolean {
  const isGate = task.kind === 'approval' || task.kind === 'nested';
  return state === 'CANCELLED' || (isGate && isLost(task, state));
}

/** Whether a task ended in a way that matters to what comes after it. */
export function isLost(task: PlannedTask, state: TaskState): boolean {
  if (task.kind === 'approval' && task.onReject === 'continue') return state === 'CANCELLED';
  return state === 'FAILED' || state === 'TIMED_OUT' || state === 'CANCELLED';
}

/** How it ends without beginning; null where it begins. */
function fate({ plan, task, parents, groups }: Seen): TaskState | null {
  const ended = task.after.map((parent, i) => {
    return [plan.tasks[parent] as PlannedTask, parents[i] as TaskState] as const;
  });
  if (ended.some(([parent, state]) => isClosed(parent, state))) return 'CANCELLED';
  const lost = ended.some(([parent, state]) => isLost(parent, state));
  if (lost && plan.policy !== 'SKIP_FAILED') return 'CANCELLED';
  if (parents.includes('SKIPPED') && task.ifParentSkipped === 'skip') return 'SKIPPED';
  if (task.when === 'failures') {
    const of = task.after.flatMap((parent) => groups.get(parent) ?? []);
    return of.some(({ total, succeeded }) => succeeded < total) ? null : 'SKIPPED';
  }
  return task.when === 'no' ? 'SKIPPED' : null;
}

function runState({ policy, allowPartial }: Plan, states: readonly TaskState[]): RunState {
  if (states.every((state) => state === 'SUCCEEDED' || state === 'SKIPPED')) return 'SUCCEEDED';
  const partial = allowPartial ?? (policy === 'CONTINUE' || policy === 'SKIP_FAILED');
  return partial && states.includes('SUCCEEDED') ? 'PARTIAL' : 'FAILED';
}
