import { type InputSource as EngineSource, findChildName, findCycle } from '@signalbox/engine';
import {
  checkTarget,
  type JobDefinition,
  type Sleep,
  type TargetOptions,
  type TaskDefinition,
} from '@signalbox/protocol';
import { ApiError } from '../../errors/api-error.ts';
import { invalid, shown } from '../../errors/refusals.ts';

const WORKS = ['handler', 'command', 'http', 'sleep', 'approval', 'event', 'run'] as const;
const WAITS = new Set<string>(['sleep', 'approval', 'event', 'run']);

/** Refuses a graph that could never run, and names the place: `tasks[3].after[0]` (API-10, DAG-02). */
export function checkGraph(definition: JobDefinition, targets: TargetOptions): void {
  const tasks = definition.tasks ?? [];
  const names = taskNames(tasks);
  const indexOf = uniqueNames(names);
  for (const [i, task] of tasks.entries()) checkStep(task, `tasks[${i}]`);
  requireOwnNames(tasks, names);
  const after = tasks.map((task, i) => parentsOf(task, { i, names, indexOf }));
  const cycle = findCycle(names, after);
  if (cycle !== null) throw cycleError(cycle, tasks, indexOf);
  for (const on of ['onSuccess', 'onFailure', 'onAlert'] as const) {
    for (const [i, { url }] of (definition.notify?.[on] ?? []).entries()) {
      const target = checkTarget(url, targets);
      if (target.ok) continue;
      throw new ApiError(target.code, target.message, { field: `notify.${on}[${i}].url` });
    }
  }
}

function uniqueNames(names: readonly string[]): Map<string, number> {
  const indexOf = new Map<string, number>();
  for (const [i, name] of names.entries()) {
    if (indexOf.has(name)) {
      throw invalid(`tasks[${i}].name`, `two tasks have the name ${shown(name)}`);
    }
    indexOf.set(name, i);
  }
  return indexOf;
}

/** Children of a fan-out have names too: a task with the same name would be ambiguous. */
function requireOwnNames(tasks: readonly TaskDefinition[], names: readonly string[]): void {
  const clash = findChildName(
    names.map((name, i) => ({ name, isFanOut: tasks[i]?.fanOut !== undefined })),
  );
  if (clash === null) return;
  const field = `tasks[${names.indexOf(clash.name)}].name`;
  throw invalid(field, `the name is reserved for a child of the fan-out ${shown(clash.fanOut)}`);
}

function parentsOf(
  task: TaskDefinition,
  at: { i: number; names: readonly string[]; indexOf: ReadonlyMap<string, number> },
): number[] {
  const self = shown(at.names[at.i] as string);
  const parents = (task.after ?? []).map((name, n) => {
    const field = `tasks[${at.i}].after[${n}]`;
    const parent = at.indexOf.get(name);
    if (parent === undefined) {
      throw invalid(
        field,
        `task ${self} comes after ${shown(name)}, which is not a task of the job`,
      );
    }
    if (parent === at.i) throw invalid(field, `task ${shown(name)} comes after itself`);
    return parent;
  });
  if (new Set(parents).size !== parents.length) {
    throw invalid(`tasks[${at.i}].after`, `task ${self} lists a parent twice`);
  }
  return parents;
}

export function checkStep(task: TaskDefinition, path: string): void {
  const works = WORKS.filter((work) => task[work] !== undefined);
  const [work, second] = works;
  if (second !== undefined) {
    throw invalid(`${path}.${second}`, `a task can have only one of ${works.join(' and ')}`);
  }
  if (task.sleep !== undefined) checkSleep(task.sleep, `${path}.sleep`);
  if (work !== undefined && WAITS.has(work)) {
    for (const field of ['fanOut', 'dynamic'] as const) {
      if (task[field] === undefined) continue;
      throw invalid(
        `${path}.${field}`,
        `only a task that a worker runs can have this field, not a task with ${work}`,
      );
    }
  }
  if (task.fanOut !== undefined) {
    if (task.dynamic) throw invalid(`${path}.dynamic`, 'a fan-out cannot be dynamic');
    const { from } = task.fanOut;
    if (from !== undefined) requireParent(task, from, `${path}.fanOut.from`);
  }
  for (const [name, source] of Object.entries(task.inputs ?? {})) {
    checkSource(task, source, `${path}.inputs.${name}`);
  }
}

function checkSource(task: TaskDefinition, source: EngineSource, path: string): void {
  if (source.task !== undefined) requireParent(task, source.task, `${path}.task`);
  for (const [i, each] of (source.list ?? []).entries()) {
    checkSource(task, each, `${path}.list[${i}]`);
  }
  for (const [name, each] of Object.entries(source.object ?? {})) {
    checkSource(task, each, `${path}.object.${name}`);
  }
}

/** A task is given what its parents gave, and nothing else: so that order and data never differ. */
function requireParent(task: TaskDefinition, parent: string, field: string): void {
  if ((task.after ?? []).includes(parent)) return;
  throw invalid(field, `${shown(parent)} must be listed in after of this task`);
}

function checkSleep({ for: time, until }: Sleep, path: string): void {
  if ((time === undefined) === (until === undefined)) {
    throw invalid(path, 'a sleep needs either for or until');
  }
}

function cycleError(
  cycle: readonly string[],
  tasks: readonly TaskDefinition[],
  indexOf: ReadonlyMap<string, number>,
): ApiError {
  const last = cycle.at(-1) as string;
  const child = indexOf.get(cycle[0] as string) as number;
  const edge = (tasks[child]?.after ?? []).indexOf(last);
  const shortened = cycle.length > 20 ? [...cycle.slice(0, 19), '…', last] : cycle;
  const way = [...shortened, cycle[0]].join(' → ');
  return invalid(`tasks[${child}].after[${edge}]`, `these tasks wait for each other: ${way}`);
}

/** The names that the engine gives, also where the author gave none. */
export function taskNames(tasks: readonly TaskDefinition[]): string[] {
  return tasks.map((task, i) => task.name ?? (tasks.length === 1 ? 'main' : `task${i}`));
}
