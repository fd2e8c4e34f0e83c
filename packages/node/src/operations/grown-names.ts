import type { Growth, JobSpec } from '@signalbox/engine';

/** Names of the tasks that a run has beyond its job version, in their order. */
export function grownNames(spec: JobSpec, growth: readonly Growth[]): string[] {
  const names = spec.tasks.map(({ name }) => name);
  for (const step of growth) {
    if (step[0] === 'fanOut') {
      const [, task, count] = step;
      const group = names[task] ?? `${task}`;
      for (let i = 0; i < count; i++) names.push(`${group}_chunk_${i}`);
    } else {
      for (const { name } of step[2]) names.push(name ?? `task${names.length}`);
    }
  }
  return names.slice(spec.tasks.length);
}
