import type { Problem } from '../problem.ts';
import type { Import } from './imports.ts';

/**
 * Import cycles between files. Types may refer to each other (a task knows its attempt, an attempt
 * its task); they are erased, so no order of initialisation depends on them.
 */
export function findCycles(imports: readonly Import[]): Problem[] {
  const edges = new Map<string, Import[]>();
  for (const each of imports) {
    if (!each.isTypeOnly) edges.set(each.from, [...(edges.get(each.from) ?? []), each]);
  }
  const problems: Problem[] = [];
  const done = new Set<string>();
  const path: string[] = [];

  const visit = (file: string): void => {
    path.push(file);
    for (const each of edges.get(file) ?? []) {
      if (each.target.kind !== 'file') continue;
      const start = path.indexOf(each.target.file);
      if (start >= 0) {
        const cycle = [...path.slice(start), each.target.file].join(' → ');
        problems.push({ file, line: each.line, message: `import cycle: ${cycle}` });
      } else if (!done.has(each.target.file)) visit(each.target.file);
    }
    path.pop();
    done.add(file);
  };

  for (const file of [...edges.keys()].sort()) if (!done.has(file)) visit(file);
  return problems;
}
