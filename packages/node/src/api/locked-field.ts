import { JobDefinition, Submission, TaskDefinition } from '@signalbox/protocol';
import type { TSchema } from 'typebox';
import type { PathStep } from '../json/field-path.ts';

/** Fields of jobs and tasks. Those that a submission also has, such as `priority`, are not unknown to it. */
const LOCKED: ReadonlySet<string> = new Set([
  ...Object.keys(JobDefinition.properties),
  ...Object.keys(TaskDefinition.properties),
]);

/** Whether an unknown field, named by its path, is one with which a submission tries to override its job. */
export function isLocked(schema: TSchema, path: readonly PathStep[]): boolean {
  const { items } = (schema as { properties?: { items?: { items?: TSchema } } }).properties ?? {};
  const isOne = schema === Submission && path.length === 1;
  const isInBatch = items?.items === Submission && path.length === 3;
  return (isOne || isInBatch) && LOCKED.has(String(path.at(-1)));
}
