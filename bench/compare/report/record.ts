import type { Comparison } from '../compare.ts';
import type { Environment } from '../environment.ts';
import type { Sizes } from '../shapes/sizes.ts';
import type { Line } from '../summary.ts';
import { SHAPES, type Shape } from '../systems/system.ts';

/** What the report is made from: the newest measurement of every shape. */
export interface PeersRecord {
  readonly environment: Environment;
  readonly shapes: readonly {
    readonly shape: Shape;
    readonly date: string;
    readonly sizes: Sizes;
    readonly lines: readonly Line[];
  }[];
}

/** Puts the shapes that were measured now in the place of what was known about them. */
export function merge(
  old: PeersRecord | null,
  { environment, sizes, lines }: Comparison,
): PeersRecord {
  const fresh = Map.groupBy(lines, ({ shape }) => shape);
  const isFresh = (shape: string): boolean => fresh.has(shape as Shape);
  const before = old?.environment.systems ?? [];
  const now = environment.systems.map((system) => ({
    ...system,
    tunings: {
      // Shapes that were not measured now keep the settings under which they were.
      ...before.find(({ name }) => name === system.name)?.tunings,
      ...Object.fromEntries(Object.entries(system.tunings).filter(([shape]) => isFresh(shape))),
    },
  }));
  const named = new Map([...before, ...now].map((each) => [each.name, each]));
  return {
    environment: { ...environment, systems: [...named.values()] },
    shapes: SHAPES.flatMap((shape) => {
      const found = fresh.get(shape);
      if (found !== undefined) return [{ shape, date: environment.date, sizes, lines: found }];
      return old?.shapes.filter((each) => each.shape === shape) ?? [];
    }),
  };
}
