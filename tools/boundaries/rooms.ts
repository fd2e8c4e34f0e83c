// Walls inside a package. A room is a folder or a file directly below `src`. Rooms do not import each
// other in a cycle, types included, and where `roomOrder` lists them, no room imports one above it.
import type { Problem } from '../problem.ts';
import { type Edge, findCycles } from './cycles.ts';
import type { Import } from './imports.ts';
import { isFree, roomOrder } from './zones.ts';

/** For each package the pairs `from → to` that are still part of a cycle or go upwards. */
export type RoomExceptions = Readonly<Record<string, readonly string[]>>;

export function findRoomProblems(
  imports: readonly Import[],
  exceptions: RoomExceptions,
): Problem[] {
  const edges = Map.groupBy(imports.flatMap(roomEdge), ({ at }) => packageOf(at.from));
  const packages = new Set([...edges.keys(), ...Object.keys(exceptions)]);
  return [...packages].flatMap((name) => {
    const excepted = exceptions[name] ?? [];
    const all = edges.get(name) ?? [];
    const checked = all.filter((edge) => !excepted.includes(pairOf(edge)));
    return [
      ...checked.filter((edge) => isUpward(name, edge)).map(upwardProblem),
      ...findCycles('cycle of rooms', onePerPair(checked)),
      ...excepted
        .filter((pair) => isClean(name, pair, all))
        .map((pair) => cleanProblem(name, pair)),
    ];
  });
}

/** The import as an edge between two rooms of one package; none if it stays in its room. */
function roomEdge(at: Import): Edge[] {
  if (at.target.kind !== 'file' || isFree(at.from) || isFree(at.target.file)) return [];
  if (packageOf(at.from) !== packageOf(at.target.file)) return [];
  const from = roomOf(at.from);
  const to = roomOf(at.target.file);
  return from === null || to === null || from === to ? [] : [{ from, to, at }];
}

function packageOf(file: string): string {
  return file.split('/', 2).join('/');
}

function roomOf(file: string): string | null {
  const [top, , source, room] = file.split('/');
  return top === 'packages' && source === 'src' ? (room?.replace(/\.(ts|mjs)$/, '') ?? null) : null;
}

const pairOf = ({ from, to }: Pick<Edge, 'from' | 'to'>): string => `${from} → ${to}`;

function onePerPair(edges: readonly Edge[]): Edge[] {
  return [...new Map(edges.map((edge) => [pairOf(edge), edge])).values()];
}

function isUpward(name: string, { from, to }: Pick<Edge, 'from' | 'to'>): boolean {
  const order = roomOrder[name] ?? [];
  return order.includes(from) && order.indexOf(to) > order.indexOf(from);
}

function upwardProblem({ from, to, at }: Edge): Problem {
  const message = `${from} may not import ${to}, which is above it in the order of rooms`;
  return { file: at.from, line: at.line, message };
}

/** Whether the exception is no longer needed. Failing then makes the list of exceptions only shrink. */
function isClean(name: string, pair: string, edges: readonly Edge[]): boolean {
  const edge = edges.find((each) => pairOf(each) === pair);
  return edge === undefined || !(isUpward(name, edge) || isReachable(edge.to, edge.from, edges));
}

function isReachable(start: string, goal: string, edges: readonly Edge[]): boolean {
  const seen = new Set([start]);
  for (const room of seen) for (const { from, to } of edges) if (from === room) seen.add(to);
  return seen.has(goal);
}

function cleanProblem(name: string, pair: string): Problem {
  const message = `${name}: the exception ${pair} is not needed any more: remove it`;
  return { file: 'tools/boundaries/zones.ts', line: 1, message };
}
