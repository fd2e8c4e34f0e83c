import type { JobDefinition } from '@signalbox/protocol';
import { SignalboxError } from '../errors.ts';

/** Refuses a task that no run of the job can have: what is said of it would have no effect. */
export function requireTask(job: string, { tasks = [{}] }: JobDefinition, task: string): void {
  // Tasks that are added at run time have names that the definition does not contain.
  if (tasks.some(({ dynamic }) => dynamic === true)) return;
  const names = tasks.map(({ name }, i) => name ?? (tasks.length === 1 ? 'main' : `task${i}`));
  const fanOut = task.replace(/_chunk_\d+$/, '');
  if (names.includes(task) || names.includes(fanOut)) return;
  const message = `the job ${job} has no task ${task}; it has ${names.slice(0, 10).join(', ')}`;
  throw new SignalboxError('invalid', message, { field: 'task' });
}
