import type { FaultRates } from '../world/options.ts';
import { drawOptions, type Options } from '../world/options.ts';
import type { Sabotage } from '../world/sabotage.ts';
import { TAME } from '../world/wild-options.ts';

/** A deliberate bug, put in at a seam, that its checker must catch. */
export interface CodeCanary {
  readonly name: string;
  /** The checker that it is meant for. */
  readonly caughtBy: string;
  readonly options: Options;
  /** For a bug that needs luck to show: so many seeds in a row are tried. One if left out. */
  readonly seeds?: number;
  /** New for every run, because a bug may count. */
  readonly sabotage: () => Sabotage;
}

/** A small busy world; the faults that the bug needs to show itself are added. */
export function canaryWorld(
  seed: number,
  faults: FaultRates = {},
  extra: Partial<Options> = {},
): Options {
  return {
    ...drawOptions(seed, 4),
    // Enough for a clean world; a broken one need not be waited for.
    restMinutes: 12,
    nodes: 2,
    workers: [3, 3, 3],
    tenants: 2,
    partitions: 2,
    faults,
    clockStepMsMax: 1_000,
    submitEveryMs: 900,
    burst: 20,
    keyShare: 0.6,
    dueShare: 0.1,
    liarShare: 0,
    schedules: 0,
    follows: false,
    hears: false,
    engine: {},
    loop: {},
    wild: TAME,
    ...extra,
  };
}

/** Calls back for the n-th time that something happens, and only then. */
export function nth(n: number): () => boolean {
  let count = 0;
  return () => ++count === n;
}
