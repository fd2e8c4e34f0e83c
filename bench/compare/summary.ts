import type { Measurement } from './measurement.ts';
import { type Spread, spreadOf } from './statistics.ts';
import type { Shape, System } from './systems/system.ts';

/** One system in one shape, over all rounds. */
export interface Line {
  readonly system: string;
  readonly shape: Shape;
  readonly label: string;
  readonly rounds: number;
  readonly figures: Readonly<Record<string, Spread>>;
  readonly cpuSecondsPer10k: Spread | null;
  readonly walBytesPerTask: Spread | null;
  /** The largest seen, by process. */
  readonly memoryMb: Readonly<Record<string, number>>;
  readonly isDisturbed: boolean;
  readonly duplicates: number;
}

/** Lines in the order in which systems and shapes were first measured. */
export function summarize(measurements: readonly Measurement[]): Line[] {
  const groups = Map.groupBy(measurements, ({ shape, label, system }) =>
    JSON.stringify([shape, label, system]),
  );
  return [...groups.values()].map(lineOf);
}

function lineOf(group: readonly Measurement[]): Line {
  const [first] = group;
  if (first === undefined) throw new Error('a line of nothing');
  const names = Object.keys(first.figures);
  const spread = (pick: (each: Measurement) => number | null): Spread | null => {
    const values = group.map(pick).filter((value) => value !== null);
    return values.length === 0 ? null : spreadOf(values);
  };
  return {
    system: first.system,
    shape: first.shape,
    label: first.label,
    rounds: group.length,
    figures: Object.fromEntries(
      names.map((name) => [name, spreadOf(group.map((each) => each.figures[name] ?? Number.NaN))]),
    ),
    cpuSecondsPer10k: spread((each) => each.cost.cpuSecondsPer10k),
    walBytesPerTask: spread((each) => each.cost.walBytesPerTask),
    memoryMb: Object.fromEntries(
      Object.keys(first.cost.memoryMb).map((name) => [
        name,
        Math.max(...group.map((each) => each.cost.memoryMb[name] ?? 0)),
      ]),
    ),
    isDisturbed: group.some((each) => each.isDisturbed),
    duplicates: group.reduce((sum, each) => sum + each.duplicates, 0),
  };
}

export type Better = 'higher' | 'lower';

/** The best peer on PostgreSQL by the median of one figure, among the lines of one shape. */
export function bestPeer(
  lines: readonly Line[],
  { figure, better }: { figure: string; better: Better },
  systems: readonly System[],
): Line | undefined {
  const peers = new Set(
    systems.flatMap(({ name, isPeer, store }) => (isPeer && store === 'postgres' ? [name] : [])),
  );
  const sign = better === 'higher' ? -1 : 1;
  const value = (line: Line): number => sign * (line.figures[figure]?.median ?? Number.NaN);
  return lines
    .filter((line) => peers.has(line.system) && Number.isFinite(value(line)))
    .toSorted((a, b) => value(a) - value(b))[0];
}

/** A figure of a line relative to that of another, by their medians; undefined where one has none. */
export function ratioOf(figure: string, line?: Line, to?: Line): number | undefined {
  const own = line?.figures[figure]?.median;
  const other = to?.figures[figure]?.median;
  return own === undefined || other === undefined ? undefined : own / other;
}
