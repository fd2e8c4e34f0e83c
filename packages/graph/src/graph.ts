import type { BoxState } from './states.ts';

/** A graph to be drawn: boxes with a few words, and who waits for whom. */
export interface Graph {
  readonly boxes: readonly Box[];
  /** Pairs of positions in `boxes`, from the parent to the child. */
  readonly edges: readonly Edge[];
}

export type Edge = readonly [from: number, to: number];

export interface Box {
  readonly name: string;
  readonly kind: BoxKind;
  /** Below the name: what it waits for, its condition, its state. */
  readonly notes: readonly string[];
  /** How many tasks of the definition it stands for. */
  readonly count: number;
  /** Of a run: the state of its task, or the one that matters most among its tasks. */
  readonly state?: BoxState;
}

export type BoxKind = 'work' | 'fanOut' | 'dynamic' | 'sleep' | 'approval' | 'event' | 'run';

/** For each box those that wait for it, and those it waits for. */
export interface Neighbours {
  readonly children: readonly (readonly number[])[];
  readonly parents: readonly (readonly number[])[];
}

export function neighboursOf(count: number, edges: readonly Edge[]): Neighbours {
  const children: number[][] = Array.from({ length: count }, () => []);
  const parents: number[][] = Array.from({ length: count }, () => []);
  for (const [from, to] of edges) {
    children[from]?.push(to);
    parents[to]?.push(from);
  }
  return { children, parents };
}

/** The layer of each box: one more than the last of those it waits for. A cycle is no graph. */
export function layersOf({ children, parents }: Neighbours): number[] {
  const layers = parents.map(() => 0);
  const waitsFor = parents.map((each) => each.length);
  const ready = waitsFor.flatMap((left, box) => (left === 0 ? [box] : []));
  for (let at = 0; at < ready.length; at++) {
    const box = ready[at] as number;
    for (const child of children[box] ?? []) {
      layers[child] = Math.max(layers[child] ?? 0, (layers[box] ?? 0) + 1);
      const left = (waitsFor[child] ?? 0) - 1;
      waitsFor[child] = left;
      if (left === 0) ready.push(child);
    }
  }
  return layers;
}
