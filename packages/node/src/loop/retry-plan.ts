import type { Growth, JobSpec, RunDetail } from '@signalbox/engine';
import type { RedriveScope } from './redrive.ts';

/** What a new run takes over from an ended one; everything else it does anew. */
export interface RetryPlan {
  readonly growth: readonly Growth[];
  /** Indexes of the tasks that stay as they ended. */
  readonly kept: readonly number[];
}

interface Graph {
  readonly names: readonly string[];
  readonly children: readonly (readonly number[])[];
  /** Of each step in which the run grew, its first task. */
  readonly firstOf: readonly number[];
  /** Of each fan-out the task whose output it fans out over, also of one that was added at run time. */
  readonly fanOutFrom: ReadonlyMap<number, number>;
}

/**
 * Which tasks of an ended run are done anew: those that were asked for, and everything that comes
 * after them, also what succeeded: it did so without them, or with what they gave before. Answers
 * what is wrong where it cannot be done.
 */
export function retryPlan(
  spec: JobSpec,
  detail: RunDetail,
  scope: RedriveScope,
): RetryPlan | string {
  if (scope === 'all') return { growth: [], kept: [] };
  const graph = graphOf(spec, detail.growth);
  const chosen = scope === 'failed' ? unsuccessful(detail) : chosenOf(graph, detail, scope);
  if (typeof chosen === 'string') return chosen;
  const anew = withDescendants(graph, chosen);
  for (const task of chosen) {
    const parent = heldUpBy({ graph, detail, anew }, task);
    if (parent === undefined) continue;
    const [name, cause] = [graph.names[task], graph.names[parent]];
    return `task ${name} comes after ${cause}, which did not succeed; retry ${cause} as well`;
  }
  // Tasks that follow from an output cannot be kept when that output is made anew.
  const outgrown = detail.growth.some((step) => anew.has(sourceOf(graph, step)));
  if (!outgrown) return { growth: detail.growth, kept: others(detail.tasks.length, anew) };
  const grown = detail.growth.map((step) => step[1]);
  const all = withDescendants(graph, [...anew, ...grown]);
  return { growth: [], kept: others(spec.tasks.length, all) };
}

/** The task whose output made the run grow so. */
function sourceOf({ fanOutFrom }: Graph, step: Growth): number {
  return step[0] === 'added' ? step[1] : (fanOutFrom.get(step[1]) ?? step[1]);
}

function unsuccessful({ tasks }: RunDetail): number[] {
  return tasks.flatMap(({ state }, i) => (state === 'SUCCEEDED' || state === 'SKIPPED' ? [] : [i]));
}

function indexesOf({ names }: Graph, wanted: readonly string[]): number[] | string {
  const indexOf = new Map(names.map((name, i) => [name, i]));
  const unknown = wanted.find((name) => !indexOf.has(name));
  if (unknown !== undefined) return `the run has no task ${unknown}`;
  return wanted.map((name) => indexOf.get(name) as number);
}

/** Those that were named; a fan-out stands for what did not succeed of it. */
function chosenOf(graph: Graph, detail: RunDetail, wanted: readonly string[]): number[] | string {
  const named = indexesOf(graph, wanted);
  if (typeof named === 'string') return named;
  const open = new Set(unsuccessful(detail));
  const parts = detail.growth.flatMap((step, at) => {
    if (step[0] !== 'fanOut' || !named.includes(step[1])) return [];
    const first = graph.firstOf[at] as number;
    return Array.from({ length: step[2] }, (_, i) => first + i).filter((task) => open.has(task));
  });
  return [...named, ...parts];
}

/** A parent for want of which the task was cancelled, and which is not done anew either. */
function heldUpBy(
  { graph, detail, anew }: { graph: Graph; detail: RunDetail; anew: ReadonlySet<number> },
  task: number,
): number | undefined {
  if (detail.tasks[task]?.state !== 'CANCELLED') return undefined;
  return unsuccessful(detail).find(
    (parent) => !anew.has(parent) && graph.children[parent]?.includes(task),
  );
}

function withDescendants({ children }: Graph, from: readonly number[]): Set<number> {
  const found = new Set(from);
  const open = [...from];
  for (let task = open.pop(); task !== undefined; task = open.pop()) {
    for (const child of children[task] ?? []) {
      if (found.has(child)) continue;
      found.add(child);
      open.push(child);
    }
  }
  return found;
}

function others(count: number, left: ReadonlySet<number>): number[] {
  return Array.from({ length: count }, (_, i) => i).filter((i) => !left.has(i));
}

/** The whole graph as it was: the job version, and how the run grew. */
function graphOf(spec: JobSpec, growth: readonly Growth[]): Graph {
  const names = spec.tasks.map(({ name }) => name);
  const children: number[][] = spec.tasks.map(({ before }) => [...before]);
  const firstOf: number[] = [];
  const fanOutFrom = new Map<number, number>();
  for (const [index, { step }] of spec.tasks.entries()) {
    if (step.fanOut !== null) fanOutFrom.set(index, step.fanOut.from);
  }
  for (const step of growth) {
    firstOf.push(names.length);
    if (step[0] === 'fanOut') {
      const [, group, count] = step;
      for (let i = 0; i < count; i++) {
        names.push(`${names[group]}_chunk_${i}`);
        children.push([group]);
      }
      continue;
    }
    const [, by, tasks, edges] = step;
    const first = names.length;
    for (const { name } of tasks) {
      names.push(name ?? '');
      children.push([]);
    }
    for (const [i, { after = [], fanOut }] of tasks.entries()) {
      const index = first + i;
      if (fanOut !== undefined) fanOutFrom.set(index, names.indexOf(fanOut.from ?? ''));
      for (const parent of after) children[names.indexOf(parent)]?.push(index);
      children[by]?.push(index);
    }
    for (const [parent, child] of edges) children[parent]?.push(child);
  }
  return { names, children, firstOf, fanOutFrom };
}
