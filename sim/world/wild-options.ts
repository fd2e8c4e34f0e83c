import { between, chance, type Dice, pick } from './streams.ts';

/** How long a node keeps what; the sweep of retention runs this often. */
export interface Keeping {
  readonly historyMs: number;
  readonly keysMs: number;
  readonly factsMs: number;
  readonly everyMs: number;
}

/**
 * What makes a world wild: unusual requests, sizes and numbers, beside the faults. Each seed draws
 * some of them, so that their combinations meet.
 */
export interface Wild extends LateWildness {
  /** Keys that a tenant uses again and again, for any of its jobs; 0: each submission has its own. */
  readonly keyPool: number;
  /** Share of requests that are sent to any node, not to the owner of the partition. */
  readonly strayShare: number;
  /** Share of requests that submit several runs, most of them under a key of the request. */
  readonly batchShare: number;
  readonly uniqueShare: number;
  /** Whether jobs with `overlap: 'skip'` exist. */
  readonly overlaps: boolean;
  /** The largest input in bytes; 0: inputs hold only the name of their operation. */
  readonly inputBytesMax: number;
  /** The store refuses a commit of more bytes; 0: none is too large. */
  readonly commitBytesMax: number;
  /** Share of submissions that fit on no worker. */
  readonly misfitShare: number;
  /** Share of attempts whose handler ignores the order to stop. */
  readonly deafShare: number;
  /** Share of requests whose client closes before an answer can come. */
  readonly impatience: number;
  /** Whether workers and definitions use numbers at and beyond the edges of their range. */
  readonly edges: boolean;
  /** Retention sweeps with these settings; null: nothing is ever dropped. */
  readonly keeping: Keeping | null;
  /** Now and then the store's clock is so far ahead, or behind, for a minute; 0 for never. */
  readonly excursionMs: number;
  /** Tenants of one kind of work compete for the places of one node, each in phases of its own. */
  readonly contest: boolean;
  /** Mean time between two retries of ended runs; 0 for never. */
  readonly retryEveryMs: number;
}

/**
 * Kinds of wildness that have dice of their own, so that a further one changes nothing of the others,
 * and that worlds which were kept from before do without.
 */
export interface LateWildness {
  /** Mean time between two spells in which the store refuses commits for good; 0 for never. */
  readonly refuseEveryMs: number;
  /** The store takes less in one commit than a node gathers for it, and refuses the rest for good. */
  readonly tightStore: boolean;
  /** Days pass, history is dropped and blobs are collected; null: nobody lives that long. */
  readonly ages: Ages | null;
  /** Where inputs are large, some are as large as one may be. */
  readonly hugeInputs: boolean;
  /** Clients of event streams, of a tenant and of a run in turn. */
  readonly watchers: number;
  /** Whether jobs exist whose approvals are rejected, or not decided in time. */
  readonly gates: boolean;
}

/** A world of several days, with everything switched off in between, and little kept of each. */
export interface Ages {
  /** How long everything is off, each time. */
  readonly leapsMs: readonly number[];
  readonly sizes: { readonly segmentMs: number; readonly groupSegmentSize: number };
  readonly keeping: Keeping;
  /** Mean time between two steps of a node's calendar clock; 0 for never. */
  readonly calendarEveryMs: number;
  /** Share of inputs and of outputs that rest as blobs. */
  readonly blobShare: number;
  /** Share of delayed runs that no world lives to see: their segments are held. */
  readonly farShare: number;
}

export const NO_LATE_WILDNESS: LateWildness = {
  refuseEveryMs: 0,
  tightStore: false,
  ages: null,
  watchers: 0,
  hugeInputs: false,
  gates: false,
};

/** A world as plain as it gets, for scenarios and canaries that look at one thing. */
export const TAME: Wild = {
  keyPool: 0,
  strayShare: 0,
  batchShare: 0,
  uniqueShare: 0.06,
  overlaps: false,
  inputBytesMax: 0,
  commitBytesMax: 0,
  misfitShare: 0,
  deafShare: 0.25,
  impatience: 0,
  edges: false,
  keeping: null,
  excursionMs: 0,
  contest: false,
  retryEveryMs: 0,
  ...NO_LATE_WILDNESS,
};

const HOUR_MS = 3_600_000;

export function drawWild(dice: Dice): Omit<Wild, keyof LateWildness> {
  return {
    keyPool: chance(dice, 0.5) ? 2 + dice.int(30) : 0,
    strayShare: chance(dice, 0.6) ? between(dice, 0.05, 0.6) : 0,
    batchShare: chance(dice, 0.5) ? between(dice, 0.02, 0.2) : 0,
    uniqueShare: chance(dice, 0.4) ? between(dice, 0.1, 0.6) : 0.06,
    overlaps: chance(dice, 0.4),
    inputBytesMax: chance(dice, 0.4) ? pick(dice, [200, 4_000, 40_000]) : 0,
    commitBytesMax: 0,
    misfitShare: chance(dice, 0.3) ? between(dice, 0.01, 0.08) : 0,
    deafShare: pick(dice, [0.25, 0.25, 0.6, 1]),
    impatience: chance(dice, 0.4) ? between(dice, 0.02, 0.3) : 0,
    edges: chance(dice, 0.3),
    keeping: chance(dice, 0.3) ? drawKeeping(dice) : null,
    excursionMs: chance(dice, 0.15) ? pick(dice, [-1, 1]) * 92 * 24 * HOUR_MS : 0,
    contest: chance(dice, 0.15),
    retryEveryMs: chance(dice, 0.5) ? between(dice, 5_000, 60_000) : 0,
  };
}

export function drawLateWildness(dice: Dice): LateWildness {
  return {
    refuseEveryMs: chance(dice, 0.25) ? between(dice, 60_000, 400_000) : 0,
    tightStore: chance(dice, 0.4),
    ages: chance(dice, 0.2) ? drawAges(dice) : null,
    watchers: chance(dice, 0.25) ? 1 + dice.int(4) : 0,
    hugeInputs: chance(dice, 0.4),
    gates: chance(dice, 0.5),
  };
}

function drawAges(dice: Dice): Ages {
  const leaps = 2 + dice.int(3);
  return {
    leapsMs: Array.from({ length: leaps }, () => Math.round(between(dice, 3, 150) * HOUR_MS)),
    sizes: {
      segmentMs: pick(dice, [600_000, 600_000, HOUR_MS, 24 * HOUR_MS]),
      groupSegmentSize: pick(dice, [8, 64, 1_000]),
    },
    keeping: {
      historyMs: pick(dice, [1, 2, 24]) * HOUR_MS,
      keysMs: pick(dice, [600_000, HOUR_MS]),
      factsMs: pick(dice, [60_000, HOUR_MS]),
      everyMs: Math.round(between(dice, 15_000, 90_000)),
    },
    calendarEveryMs: chance(dice, 0.5) ? between(dice, 60_000, 400_000) : 0,
    blobShare: pick(dice, [0.02, 0.1]),
    farShare: pick(dice, [0, 0, 0.05]),
  };
}

function drawKeeping(dice: Dice): Keeping {
  return {
    historyMs: pick(dice, [90 * 24, 48, 24]) * HOUR_MS,
    keysMs: pick(dice, [7 * 24 * HOUR_MS, 600_000]),
    factsMs: pick(dice, [24 * HOUR_MS, 60_000]),
    everyMs: Math.round(between(dice, 20_000, 300_000)),
  };
}
