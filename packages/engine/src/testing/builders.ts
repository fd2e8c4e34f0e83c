import type { Class } from '../model/classes.ts';
import type { GraphDefinition } from '../model/graph-spec.ts';
import { NO_RESOURCES, type Resources } from '../model/resources.ts';
import { type JobDefinition, type JobSpec, jobSpec, type TaskDefinition } from '../model/spec.ts';
import type { WorkerInfo } from '../model/worker.ts';

/** Resources of which only some dimensions matter; the others are zero. */
export function resources(some: Partial<Resources> = {}): Resources {
  return { ...NO_RESOURCES, ...some };
}

/** A job: with `tasks` a graph, otherwise a single task described by the remaining fields. */
export interface JobParams extends TaskDefinition {
  readonly tenant?: string;
  readonly job?: string;
  readonly version?: number;
  readonly class?: Class;
  readonly tasks?: readonly TaskDefinition[];
  /** What holds for the whole run. */
  readonly graph?: GraphDefinition & Pick<JobDefinition, 'hears'>;
}

export function buildSpec(params: JobParams = {}): JobSpec {
  const { tenant = 'acme', job = 'job', version = 1, class: klass, tasks, graph, ...task } = params;
  const own = klass === undefined ? {} : { class: klass };
  const definition = { ...own, ...graph, tasks: tasks ?? [task] };
  return jobSpec({ tenant, job, version, definition });
}

export interface WorkerParams extends Partial<Omit<WorkerInfo, 'total'>> {
  /** Only the dimensions that matter; ten slots unless told. */
  readonly total?: Partial<Resources>;
}

export function buildWorker(params: WorkerParams = {}): WorkerInfo {
  const { name = 'w1', instance = 'i1', zone = 'a', labels = {}, executors = [] } = params;
  const total = resources({ slots: 10, ...params.total });
  return { name, instance, zone, labels, executors, total };
}
