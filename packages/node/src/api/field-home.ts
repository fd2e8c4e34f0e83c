import type { TSchema } from 'typebox';
import type { PathStep } from '../json/field-path.ts';

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly items?: ObjectSchema;
}

/** What authors look for in a job although it is a definition of its own. */
const OWN_DEFINITIONS: { readonly [name: string]: string } = {
  schedule: 'Schedule',
  schedules: 'Schedule',
  cron: 'Schedule',
  interval: 'Schedule',
  timezone: 'Schedule',
  trigger: 'Trigger',
  triggers: 'Trigger',
};

/**
 * Where a field belongs that is unknown where it was written: `failurePolicy` in a task belongs to the job.
 * Null if no place has such a field, or several equally likely ones have it.
 */
export function fieldHome(schema: TSchema, at: readonly PathStep[], name: string): string | null {
  const root = schema as ObjectSchema;
  const isJob = root.properties?.['tasks'] !== undefined;
  const kind = OWN_DEFINITIONS[name];
  if (isJob && kind !== undefined && Object.hasOwn(OWN_DEFINITIONS, name)) {
    return `use a separate definition of kind ${kind}`;
  }
  const homes = homesOf(root, name).sort((a, b) => a.length - b.length);
  const [home, second] = homes;
  // `timeout` is a field of tasks, and of several objects in a task: the outermost place is the likely one.
  if (home === undefined || home.length === second?.length) return null;
  return `the field belongs to ${named(home, isJob)}, not to ${named(at, isJob)}`;
}

/** The paths of all objects that have a field of this name. */
function homesOf(schema: ObjectSchema, name: string, at: readonly PathStep[] = []): PathStep[][] {
  const { properties = {}, items } = schema;
  return [
    ...(Object.hasOwn(properties, name) ? [[...at]] : []),
    ...Object.entries(properties).flatMap(([member, inner]) =>
      homesOf(inner, name, [...at, member]),
    ),
    ...(items === undefined ? [] : homesOf(items, name, [...at, 0])),
  ];
}

/** `the job`, `a task`, `retry of a task`. */
function named(path: readonly PathStep[], isJob: boolean): string {
  if (!isJob) return path.length === 0 ? 'the top level' : shown(path);
  const [first, , ...rest] = path;
  if (first === undefined) return 'the job';
  if (first !== 'tasks') return `${shown(path)} of the job`;
  return rest.length === 0 ? 'a task' : `${shown(rest)} of a task`;
}

function shown(path: readonly PathStep[]): string {
  return path.filter((step) => typeof step === 'string').join('.');
}
