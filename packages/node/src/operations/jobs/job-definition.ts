import { CLASSES, type Class, type JobDefinition as EngineJob } from '@signalbox/engine';
import {
  checkHeaders,
  checkTarget,
  type HttpWork,
  type JobDefinition,
  type RunLimits,
  type TargetOptions,
} from '@signalbox/protocol';
import { ApiError } from '../../errors/api-error.ts';
import { invalid } from '../../errors/refusals.ts';
import { withValues } from '../../secrets/secret-refs.ts';
import { requirePlainDeep } from '../common/check-text.ts';
import { classOfPriority } from '../common/priority-class.ts';
import { msOf, shownDuration } from '../common/read-time.ts';
import { checkConditions, checkParentsOfConditions } from './check-conditions.ts';
import { checkGraph } from './check-graph.ts';
import { authoredTask, type StoredTask, storedTask } from './stored-task.ts';

type Renamed = 'priority' | 'tasks' | 'limits' | 'expectedDuration' | 'eventTypes';

/** A definition as its row keeps it: the engine's form, and what only people and workers read. */
export interface StoredJob extends Omit<JobDefinition, Renamed> {
  readonly class?: Class;
  readonly limits?: EngineJob['limits'];
  readonly expectedMs?: number;
  readonly hears?: readonly string[];
  readonly tasks: readonly StoredTask[];
  readonly paused?: true;
  /** The author wrote no tasks: the one there is was made up. */
  readonly bare?: true;
}

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
  // The worker checks values of secrets when it has them.
  const headers = withValues(work.headers ?? {}, () => '');
  const bad = target.ok ? checkHeaders(headers) : target;
  if (bad !== null) throw new ApiError(bad.code, bad.message, { field: `${path}.${bad.field}` });
}

export function toStored(job: string, definition: JobDefinition, paused: boolean): StoredJob {
  const { priority, limits, expectedDuration: expected, eventTypes, tasks, ...same } = definition;
  const numeric = classOfPriority(priority, (message) => invalid('priority', message));
  const field = 'expectedDuration';
  return {
    ...same,
    ...(numeric === null ? {} : { class: numeric }),
    ...(limits === undefined ? {} : { limits: storedLimits(limits) }),
    ...(expected === undefined
      ? {}
      : { expectedMs: msOf('job.expectedDuration', { field, value: expected }) }),
    ...(eventTypes === undefined ? {} : { hears: eventTypes }),
    ...(tasks === undefined ? { bare: true } : {}),
    tasks: (tasks ?? [{}]).map((task, i) => storedTask(job, task, `tasks[${i}]`)),
    ...(paused ? { paused: true } : {}),
  };
}

function storedLimits({ maxFanOut, ...same }: RunLimits): NonNullable<StoredJob['limits']> {
  return { ...same, ...(maxFanOut === undefined ? {} : { fanOutMax: maxFanOut }) };
}

function authoredLimits({ fanOutMax, ...same }: NonNullable<StoredJob['limits']>): RunLimits {
  return { ...same, ...(fanOutMax === undefined ? {} : { maxFanOut: fanOutMax }) };
}

/** The definition as its author would write it; durations as text. */
export function fromStored(stored: StoredJob): JobDefinition {
  const { class: priority, limits, expectedMs, hears, tasks, paused: _, bare, ...same } = stored;
  return {
    ...same,
    ...(priority === undefined ? {} : { priority: CLASSES[priority] }),
    ...(limits === undefined ? {} : { limits: authoredLimits(limits) }),
    ...(expectedMs === undefined ? {} : { expectedDuration: shownDuration(expectedMs) }),
    ...(hears === undefined ? {} : { eventTypes: [...hears] }),
    ...(bare ? {} : { tasks: (tasks ?? []).map(authoredTask) }),
  };
}
