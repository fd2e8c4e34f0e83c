import { CLASSES, parseClass } from '@signalbox/engine';
import {
  checkHeaders,
  checkTarget,
  executorOf,
  type HttpWork,
  type JobDefinition,
  type TargetOptions,
  type TaskDefinition,
} from '@signalbox/protocol';
import { ApiError } from '../context.ts';
import { requirePlainDeep } from './check-text.ts';
import { findCycle } from './find-cycle.ts';
import { shown } from './refusals.ts';

/** A definition as its row keeps it: the engine's form, and what only people and workers read. */
export interface StoredJob {
  readonly class?: 0 | 1 | 2;
  readonly tasks: readonly (TaskDefinition & { readonly executor: string })[];
  readonly paused?: true;
  readonly description?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The author wrote no tasks: the one there is was made up. */
  readonly bare?: true;
}

/** Refuses what could never run, and names the place: `tasks[3].after[0]` (API-10). */
export function checkDefinition(definition: JobDefinition, targets: TargetOptions): void {
  requirePlainDeep('', definition);
  const tasks = definition.tasks ?? [];
  const names = taskNames(tasks);
  const indexOf = new Map<string, number>();
  for (const [i, name] of names.entries()) {
    if (indexOf.has(name)) {
      throw invalid(`tasks[${i}].name`, `two tasks have the name ${shown(name)}`);
    }
    indexOf.set(name, i);
  }
  for (const [i, task] of tasks.entries()) checkWork(task, `tasks[${i}]`, targets);
  const after = tasks.map((task, i) =>
    (task.after ?? []).map((name, n) => {
      const field = `tasks[${i}].after[${n}]`;
      const parent = indexOf.get(name);
      if (parent === undefined) {
        throw invalid(
          field,
          `task ${shown(names[i] as string)} waits for ${shown(name)}, which is no task`,
        );
      }
      if (parent === i) throw invalid(field, `task ${shown(name)} waits for itself`);
      return parent;
    }),
  );
  for (const [i, parents] of after.entries()) {
    if (new Set(parents).size !== parents.length) {
      throw invalid(`tasks[${i}].after`, `task ${shown(names[i] as string)} names a parent twice`);
    }
  }
  const cycle = findCycle(names, after);
  if (cycle !== null) throw cycleError(cycle, tasks, indexOf);
}

function checkWork(task: TaskDefinition, path: string, targets: TargetOptions): void {
  const kinds = (['handler', 'command', 'http'] as const).filter(
    (kind) => task[kind] !== undefined,
  );
  if (kinds.length > 1) {
    throw invalid(`${path}.${kinds[1]}`, `a task names one of ${kinds.join(' and ')}, not both`);
  }
  if (task.http !== undefined) checkHttp(task.http, `${path}.http`, targets);
}

/** What can be known before a name is looked up; the worker checks the addresses when it dials. */
function checkHttp(work: HttpWork, path: string, targets: TargetOptions): void {
  const target = checkTarget(work.url, targets);
  const bad = target.ok ? checkHeaders(work.headers ?? {}) : target;
  if (bad !== null) throw new ApiError(bad.code, bad.message, { field: `${path}.${bad.field}` });
}

function cycleError(
  cycle: readonly string[],
  tasks: readonly TaskDefinition[],
  indexOf: ReadonlyMap<string, number>,
): ApiError {
  const last = cycle.at(-1) as string;
  const child = indexOf.get(cycle[0] as string) as number;
  const edge = (tasks[child]?.after ?? []).indexOf(last);
  const told = cycle.length > 20 ? [...cycle.slice(0, 19), '…', last] : cycle;
  const way = [...told, cycle[0]].join(' → ');
  return invalid(`tasks[${child}].after[${edge}]`, `these tasks wait for each other: ${way}`);
}

/** The names that the engine gives, also where the author gave none. */
function taskNames(tasks: readonly TaskDefinition[]): string[] {
  return tasks.map((task, i) => task.name ?? (tasks.length === 1 ? 'main' : `task${i}`));
}

export function toStored(job: string, definition: JobDefinition, paused: boolean): StoredJob {
  const { class: className, tasks, ...rest } = definition;
  const klass = className === undefined ? null : parseClass(className);
  return {
    ...rest,
    ...(klass === null ? {} : { class: klass }),
    ...(tasks === undefined ? { bare: true } : {}),
    tasks: (tasks ?? [{}]).map((task) => ({ ...task, executor: executorOf(job, task) })),
    ...(paused ? { paused: true } : {}),
  };
}

/** The definition as its author wrote it. */
export function fromStored(stored: StoredJob): JobDefinition {
  const { class: klass, tasks, paused: _paused, bare, ...rest } = stored;
  return {
    ...rest,
    ...(klass === undefined ? {} : { class: CLASSES[klass] }),
    ...(bare ? {} : { tasks: (tasks ?? []).map(({ executor: _executor, ...task }) => task) }),
  } as JobDefinition;
}

export function invalid(field: string, message: string): ApiError {
  return new ApiError('invalid', message, field === '' ? {} : { field });
}
