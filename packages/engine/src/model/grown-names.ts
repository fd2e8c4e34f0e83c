import type { Growth } from './graph.ts';
import type { JobSpec } from './spec.ts';

/** `convert_chunk_7`: the eighth child of the fan-out `convert`. */
export function childName(fanOut: string, partition: number): string {
  return `${fanOut}_chunk_${partition}`;
}

const CHILD = /^(.+)_chunk_(?:0|[1-9][0-9]*)$/s;

/** The first task whose name a child of a fan-out among them may have too; null where there is none. */
export function findChildName(
  tasks: readonly { readonly name: string; readonly isFanOut: boolean }[],
): { readonly name: string; readonly fanOut: string } | null {
  const fanOuts = new Set(tasks.flatMap(({ name, isFanOut }) => (isFanOut ? [name] : [])));
  if (fanOuts.size === 0) return null;
  for (const { name } of tasks) {
    const fanOut = CHILD.exec(name)?.[1];
    if (fanOut !== undefined && fanOuts.has(fanOut)) return { name, fanOut };
  }
  return null;
}

/** The name of any task of a run, from its place: first those of the job version, then how it grew. */
export function taskNameAt(spec: JobSpec, growth: readonly Growth[], index: number): string {
  const declared = spec.tasks[index];
  if (declared !== undefined) return declared.name;
  let first = spec.tasks.length;
  for (const step of growth) {
    const place = index - first;
    const count = grownCount(step);
    if (place < count) {
      return step[0] === 'fanOut'
        ? childName(taskNameAt(spec, growth, step[1]), place)
        : (step[2][place]?.name ?? `task${index}`);
    }
    first += count;
  }
  return `${index}`;
}

export function grownCount(step: Growth): number {
  return step[0] === 'fanOut' ? step[2] : step[2].length;
}

/** Names of the tasks that a run has beyond its job version, in their order. */
export function grownNames(spec: JobSpec, growth: readonly Growth[]): string[] {
  const names = spec.tasks.map(({ name }) => name);
  for (const step of growth) {
    if (step[0] === 'fanOut') {
      const [, task, count] = step;
      const group = names[task] ?? `${task}`;
      for (let i = 0; i < count; i++) names.push(childName(group, i));
    } else {
      for (const { name } of step[2]) names.push(name ?? `task${names.length}`);
    }
  }
  return names.slice(spec.tasks.length);
}
