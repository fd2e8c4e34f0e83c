import { CLASSES } from '@signalbox/engine';
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
import { checkConditions, checkParentsOfConditions } from './check-conditions.ts';
import { checkGraph } from './check-graph.ts';
import { requirePlainDeep } from './check-text.ts';
import { classOfPriority } from './priority-class.ts';
import { invalid } from './refusals.ts';

/** A definition as its row keeps it: the engine's form, and what only people and workers read. */
export interface StoredJob extends Omit<JobDefinition, 'priority' | 'tasks'> {
  readonly class?: 0 | 1 | 2;
  readonly tasks: readonly StoredTask[];
  readonly paused?: true;
  /** The author wrote no tasks: the one there is was made up. */
  readonly bare?: true;
}

export type StoredTask = Omit<TaskDefinition, 'sleep'> & {
  readonly executor: string;
  /** `until` in milliseconds. */
  readonly sleep?: { readonly forMs?: number; readonly until?: number };
};

/** Refuses what could never run, and names the place. */
export function checkDefinition(definition: JobDefinition, targets: TargetOptions): void {
  requirePlainDeep('', definition);
  for (const [i, task] of (definition.tasks ?? []).entries()) {
    if (task.http !== undefined) checkHttp(task.http, `tasks[${i}].http`, targets);
  }
  checkGraph(definition, targets);
  checkConditions(definition.tasks ?? []);
  checkParentsOfConditions(definition.tasks ?? []);
}

/** What can be known before a name is looked up; the worker checks the addresses when it dials. */
function checkHttp(work: HttpWork, path: string, targets: TargetOptions): void {
  const target = checkTarget(work.url, targets);
  const bad = target.ok ? checkHeaders(work.headers ?? {}) : target;
  if (bad !== null) throw new ApiError(bad.code, bad.message, { field: `${path}.${bad.field}` });
}

export function toStored(job: string, definition: JobDefinition, paused: boolean): StoredJob {
  const { priority, tasks, ...rest } = definition;
  const klass = classOfPriority(priority, (message) => invalid('priority', message));
  return {
    ...rest,
    ...(klass === null ? {} : { class: klass }),
    ...(tasks === undefined ? { bare: true } : {}),
    tasks: (tasks ?? [{}]).map((task) => storedTask(job, task)),
    ...(paused ? { paused: true } : {}),
  };
}

export function storedTask(job: string, task: TaskDefinition): StoredTask {
  const executor = executorOf(job, task);
  const { sleep, ...rest } = task;
  if (sleep === undefined) return { ...rest, executor };
  const { forMs, until } = sleep;
  if (until !== undefined) return { ...rest, executor, sleep: { until: Date.parse(until) } };
  return { ...rest, executor, sleep: forMs === undefined ? {} : { forMs } };
}

function authoredTask({ executor: _executor, sleep, ...task }: StoredTask): TaskDefinition {
  if (sleep === undefined) return task;
  const { forMs, until } = sleep;
  if (until !== undefined) return { ...task, sleep: { until: new Date(until).toISOString() } };
  return { ...task, sleep: forMs === undefined ? {} : { forMs } };
}

/** The definition as its author wrote it. */
export function fromStored(stored: StoredJob): JobDefinition {
  const { class: klass, tasks, paused: _paused, bare, ...rest } = stored;
  return {
    ...rest,
    ...(klass === undefined ? {} : { priority: CLASSES[klass] }),
    ...(bare ? {} : { tasks: (tasks ?? []).map(authoredTask) }),
  } as JobDefinition;
}
