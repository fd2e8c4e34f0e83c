/** Between two layers: where each end of an edge is, from one side to the other. */
export interface ChannelLink {
  readonly source: number;
  readonly sourceAt: number;
  readonly target: number;
  readonly targetAt: number;
}

/**
 * Lines that belong together: from the left they come in at `sources`, go along a track, and leave at
 * `targets`. One that goes straight through needs no track.
 */
export interface Net {
  readonly sources: readonly number[];
  readonly targets: readonly number[];
  readonly track: number | null;
}

export interface Routed {
  readonly nets: readonly Net[];
  /** Whether no two lines lie on each other. */
  readonly isClean: boolean;
}

/**
 * A track for the edges of every source, so that no two lines lie on each other: what comes out at a
 * place must have turned off before anything else comes in there. That cannot be had where every
 * order of the tracks is wrong for some place.
 */
export function routeChannel(links: readonly ChannelLink[]): Routed {
  const bundles = bundlesOf(links);
  const winding = bundles.filter(({ sources, targets }) => !isStraight(sources, targets));
  const { order, isClean } = inOrder(winding);
  const tracks = new Map<Bundle, number>();
  for (const bundle of order) {
    const before = order.filter((other) => bundle.behind.has(other));
    let track = Math.max(0, ...before.map((other) => (tracks.get(other) ?? 0) + 1));
    const isTaken = (): boolean =>
      [...tracks].some(([other, taken]) => taken === track && overlap(other, bundle));
    while (isTaken()) track++;
    tracks.set(bundle, track);
  }
  const nets = bundles.map((bundle) => {
    const { sources, targets } = bundle;
    return { sources: [...sources], targets: [...targets], track: tracks.get(bundle) ?? null };
  });
  return { nets, isClean };
}

interface Bundle {
  readonly sources: ReadonlySet<number>;
  readonly targets: ReadonlySet<number>;
  /** Those whose tracks must come first. */
  readonly behind: Set<Bundle>;
}

/** The edges of a source; sources that all go to the same targets, alone, share theirs. */
function bundlesOf(links: readonly ChannelLink[]): Bundle[] {
  const targetsOf = groupBy(links, ({ source }) => source);
  const sourcesOf = groupBy(links, ({ target }) => target);
  const bundles = new Map<string, Bundle & { sources: Set<number>; targets: Set<number> }>();
  for (const [source, outgoing] of targetsOf) {
    const names = keyOf(outgoing.map(({ target }) => target));
    const isAlone = outgoing.every(({ target }) =>
      (sourcesOf.get(target) ?? []).every(
        (incoming) =>
          keyOf((targetsOf.get(incoming.source) ?? []).map((each) => each.target)) === names,
      ),
    );
    const key = isAlone ? names : `source ${source}`;
    const bundle = bundles.get(key) ?? {
      sources: new Set(),
      targets: new Set(),
      behind: new Set(),
    };
    bundles.set(key, bundle);
    for (const { sourceAt, targetAt } of outgoing) {
      bundle.sources.add(sourceAt);
      bundle.targets.add(targetAt);
    }
  }
  const all = [...bundles.values()];
  for (const first of all) {
    for (const second of all) {
      if (first === second) continue;
      const meets = [...second.targets].some((at) => first.sources.has(at));
      if (meets) second.behind.add(first);
    }
  }
  return all;
}

/** First those without any before them; among those the one whose line gets in nobody's way. */
function inOrder(bundles: readonly Bundle[]): { order: Bundle[]; isClean: boolean } {
  const left = bundles.toSorted((a, b) => preference(a) - preference(b));
  const order: Bundle[] = [];
  let isClean = true;
  while (left.length > 0) {
    const next = left.findIndex(({ behind }) => !left.some((other) => behind.has(other)));
    if (next < 0) isClean = false;
    order.push(...left.splice(Math.max(0, next), 1));
  }
  return { order, isClean };
}

/** Of those that go down the lowest turns off first, of those that go up the highest. */
function preference({ sources, targets }: Bundle): number {
  const [from, to] = [mean(sources), mean(targets)];
  return to >= from ? -from : from;
}

function overlap(a: Bundle, b: Bundle): boolean {
  const [aFrom, aTo] = spanOf(a);
  const [bFrom, bTo] = spanOf(b);
  return aFrom <= bTo + 1 && bFrom <= aTo + 1;
}

function spanOf({ sources, targets }: Bundle): [number, number] {
  const all = [...sources, ...targets];
  return [Math.min(...all), Math.max(...all)];
}

function isStraight(sources: ReadonlySet<number>, targets: ReadonlySet<number>): boolean {
  return new Set([...sources, ...targets]).size === 1;
}

function mean(values: ReadonlySet<number>): number {
  return [...values].reduce((sum, value) => sum + value, 0) / values.size;
}

function groupBy<T>(items: readonly T[], key: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}

function keyOf(values: readonly number[]): string {
  return [...values].sort((a, b) => a - b).join(',');
}
