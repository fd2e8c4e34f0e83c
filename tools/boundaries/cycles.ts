import type { Problem } from '../problem.ts';
import type { Import } from './imports.ts';

export interface Edge {
  readonly from: string;
  readonly to: string;
  /** The import that makes the edge. */
  readonly at: Import;
}

/** Cycles between files. Imports of types are erased, so no order of initialisation depends on them. */
export function findFileCycles(imports: readonly Import[]): Problem[] {
  return findCycles(
    'import cycle',
    imports.flatMap((at) =>
      at.isTypeOnly || at.target.kind !== 'file' ? [] : [{ from: at.from, to: at.target.file, at }],
    ),
  );
}

/** The cycles of a graph, each reported at an import that closes it. */
export function findCycles(what: string, all: readonly Edge[]): Problem[] {
  const edges = Map.groupBy(all, ({ from }) => from);
  const problems: Problem[] = [];
  const done = new Set<string>();
  const path: string[] = [];

  const visit = (from: string): void => {
    path.push(from);
    for (const { to, at } of edges.get(from) ?? []) {
      const start = path.indexOf(to);
      if (start >= 0) {
        const cycle = [...path.slice(start), to].join(' → ');
        problems.push({ file: at.from, line: at.line, message: `${what}: ${cycle}` });
      } else if (!done.has(to)) visit(to);
    }
    path.pop();
    done.add(from);
  };

  for (const from of [...edges.keys()].sort()) if (!done.has(from)) visit(from);
  return problems;
}
