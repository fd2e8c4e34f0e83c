/**
 * A cycle among the tasks, as their names in order, or null. Works through tasks whose parents are
 * all done, with a list instead of recursion: a chain of 100,000 tasks must not overflow the stack
 * (h61). What is left over holds a cycle; going from parent to parent there must come back.
 */
export function findCycle(
  names: readonly string[],
  after: readonly (readonly number[])[],
): string[] | null {
  const before: number[][] = names.map(() => []);
  const open = after.map((parents) => parents.length);
  for (const [child, parents] of after.entries()) {
    for (const parent of parents) before[parent]?.push(child);
  }
  const ready = names.flatMap((_, i) => (open[i] === 0 ? [i] : []));
  let done = 0;
  for (let task = ready.pop(); task !== undefined; task = ready.pop()) {
    done++;
    for (const child of before[task] as number[]) {
      open[child] = (open[child] as number) - 1;
      if (open[child] === 0) ready.push(child);
    }
  }
  if (done === names.length) return null;
  const path: number[] = [];
  const seenAt = new Map<number, number>();
  let task = open.findIndex((count) => count > 0);
  while (!seenAt.has(task)) {
    seenAt.set(task, path.length);
    path.push(task);
    task = (after[task] as number[]).find((parent) => (open[parent] as number) > 0) as number;
  }
  // Walked from child to parent; told in the order in which they would run.
  return path
    .slice(seenAt.get(task))
    .reverse()
    .map((i) => names[i] as string);
}
