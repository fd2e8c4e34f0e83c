import { DURATION_PATTERN, JobDefinition, TaskDefinition } from '@signalbox/protocol';
import type { ApiError } from '../../errors/api-error.ts';
import { invalid } from '../../errors/refusals.ts';

const TASKS_MAX = 100_000;

/** Loaded when it is first needed: compiling schemas takes a good part of a second at start. */
let schemas: Promise<Schemas> | null = null;
type Schemas = Awaited<ReturnType<typeof compile>>;

async function compile() {
  const { Compile } = await import('typebox/schema');
  return { job: Compile(JobDefinition), task: Compile(TaskDefinition) };
}

/** Loads what the first check would load, for a process that has a moment before the first request. */
export async function loadDefinitionSchemas(): Promise<void> {
  schemas ??= compile();
  await schemas;
}

/** The shape of a definition; callers in this process come without the API's own check. */
export async function checkDefinitionSchema(definition: JobDefinition): Promise<void> {
  schemas ??= compile();
  const { job, task } = await schemas;
  if (!job.Check(definition)) throw schemaError(definition, { job, task });
}

/**
 * The first thing that the schema refuses. Looked for task by task, because listing everything that
 * is wrong with a hundred thousand of them takes seconds.
 */
function schemaError(definition: JobDefinition, { job, task }: Schemas): ApiError {
  const tasks: unknown = definition?.tasks;
  if (Array.isArray(tasks)) {
    if (tasks.length === 0 || tasks.length > TASKS_MAX) {
      return invalid('tasks', `a job must have 1 to ${TASKS_MAX} tasks`);
    }
    const wrong = tasks.findIndex((each) => !task.Check(each));
    if (wrong >= 0) return firstError(task.Errors(tasks[wrong])[1], `tasks[${wrong}]`);
    const [one] = tasks as [TaskDefinition];
    return firstError(job.Errors({ ...definition, tasks: [one] })[1], '');
  }
  return firstError(job.Errors(definition)[1], '');
}

function firstError(
  errors: readonly { keyword: string; instancePath: string; message: string; params: unknown }[],
  within: string,
): ApiError {
  const [first] = errors;
  const field = fieldPath(first?.instancePath ?? '', within);
  if ((first?.params as { pattern?: unknown } | undefined)?.pattern === DURATION_PATTERN) {
    return invalid(field, `${field} must be a duration such as '90s', or milliseconds`);
  }
  // The schema of a member that an object does not have is `false`.
  if (first?.keyword === 'boolean') return invalid(field, `${field} is an unknown field`);
  return invalid(
    field,
    `${field === '' ? 'the definition' : field} ${first?.message ?? 'is invalid'}`,
  );
}

/** `/tasks/3/after/0` as `tasks[3].after[0]`. */
function fieldPath(pointer: string, within: string): string {
  const parts = pointer.split('/').slice(1);
  return parts.reduce((path, part) => {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (/^\d+$/.test(key)) return `${path}[${key}]`;
    return path === '' ? key : `${path}.${key}`;
  }, within);
}
