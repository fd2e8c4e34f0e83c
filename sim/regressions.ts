import { drawOptions, type Options } from './world/options.ts';
import { NO_LATE_WILDNESS, TAME } from './world/wild-options.ts';

/**
 * Worlds that found a bug, replayed by every test run. A change of the simulator reshuffles its
 * dice, so that a seed may come to look elsewhere: a bug worth a story of its own has one in
 * `scenarios/` as well.
 */
export interface Regression {
  readonly seed: number;
  readonly why: string;
  readonly options: Options;
}

/** A backlog far beyond memory, one key in memory, a store that answers late or not at all. */
const PARKED: Partial<Options> = {
  restMinutes: 60,
  nodes: 2,
  workers: [4, 4],
  tenants: 1,
  partitions: 1,
  faults: { 'node.crash': 20_000, 'store.slow': 20_000, 'store.flaky': 20_000 },
  submitEveryMs: 1_600,
  burst: 60,
  keyShare: 1,
  dueShare: 0.1,
  engine: {
    pageSize: 2,
    queueWindow: 4,
    classWindow: 4,
    nodeWindow: 4,
    keysKept: 1,
    horizonMs: 20_000,
  },
  loop: { inboxPollMs: 500 },
};

/** Owners change often and their clocks are minutes apart, while attempts are taken back. */
const APART: Partial<Options> = {
  restMinutes: 60,
  nodes: 3,
  workers: [2, 2, 2],
  tenants: 1,
  partitions: 3,
  faults: {
    'node.crash': 15_000,
    'worker.evict': 10_000,
    'clock.step': 30_000,
    'worker.drain': 20_000,
  },
  clockStepMsMax: 600_000,
  submitEveryMs: 900,
  burst: 5,
  keyShare: 0.5,
  dueShare: 0.1,
  engine: {},
  loop: {},
};

/** Attempts with a grace of up to a year are taken off their workers all the time. */
const EVICTED: Partial<Options> = { faults: { 'worker.evict': 8_000 } };

function world(seed: number, minutes: number, special: Partial<Options> = {}): Options {
  // They were found without runs that start each other; those would change their course.
  return { ...drawOptions(seed, minutes), follows: false, hears: false, wild: TAME, ...special };
}

/** As the seed draws it, without the kinds of wildness that came after it. */
function wildWorld(seed: number, minutes: number): Options {
  return drawOptions(seed, minutes, NO_LATE_WILDNESS);
}

/** Tenants compete while the store refuses large commits, so that partitions are given up and taken again. */
function contestOnTightStore(seed: number): Options {
  const drawn = drawOptions(seed, 30);
  const wild = { ...drawn.wild, tightStore: true, commitBytesMax: 300_000 };
  return { ...drawn, loop: { ...drawn.loop, groupBytesMax: 2_000_000 }, wild };
}

/** The last ones are whole worlds as their seeds draw them, wildness included. */
export const REGRESSIONS: readonly Regression[] = [
  {
    seed: 11,
    why: 'an inbox entry whose run was there already decided no fact and never left the inbox',
    options: world(11, 8),
  },
  {
    seed: 12,
    why: 'a success that came after its time was up was confirmed to its worker and tried again',
    options: world(12, 8),
  },
  {
    seed: 13,
    why: 'one key twice in one group: the holder was withdrawn instead of the second submission',
    options: world(13, 8),
  },
  {
    seed: 194,
    why: 'the key of a parked submission outlived its lost partition, and the inbox entry was dropped for it',
    options: world(194, 8),
  },
  {
    seed: 139,
    why: 'a due time on its way to the store sorted before one that was read, and was never read itself',
    options: world(139, 8),
  },
  {
    seed: 2,
    why: 'a page counted a parked submission that was struck afterwards, and so did the book for ever',
    options: world(2, 8, PARKED),
  },
  {
    seed: 11,
    why: 'a task that was queued again waited for its old due time under a slower clock, and then for ever',
    options: world(11, 8, APART),
  },
  {
    seed: 122,
    why: 'a deletion that was read together with the version before it was not carried out',
    options: world(122, 10),
  },
  {
    seed: 1094,
    why: 'versions from before a deletion were read again, and brought the schedule back to life',
    options: world(1094, 15),
  },
  {
    seed: 101,
    why: 'a nested run was started for a wait that was not durable yet, and no wait had asked for it',
    options: world(101, 8),
  },
  {
    seed: 51,
    why: 'submissions that equaled one which was struck were answered with the holder of its key',
    options: wildWorld(51, 12),
  },
  {
    seed: 1021,
    why: 'submissions were answered with a run that was dropped because its key was taken',
    options: drawOptions(1021, 30),
  },
  {
    seed: 1087,
    why: 'a batch under a key was answered as a duplicate of its own runs, which were then dropped',
    options: drawOptions(1087, 30),
  },
  {
    seed: 1019,
    why: 'an entry became an earlier run that memory knew under its key and the store did not any more',
    options: drawOptions(1019, 30),
  },
  {
    seed: 47,
    why: 'a key was acknowledged for one job by the inbox and for another by the owner, and led to one run',
    options: wildWorld(47, 12),
  },
  {
    seed: 19,
    why: 'a submission under a key of another job was acknowledged as its own',
    options: wildWorld(19, 12),
  },
  {
    seed: 15,
    why: 'a group larger than the store takes was tried again without end; a key that memory had forgotten was answered with a live run of the same unique value',
    options: wildWorld(15, 12),
  },
  {
    seed: 7,
    why: 'an extension by infinity was written down, and its partition could not be opened again',
    options: wildWorld(7, 12),
  },
  {
    seed: 6,
    why: 'a grace of more than 1e9 ms was accepted, and the link could not carry the order to stop',
    options: wildWorld(6, 12),
  },
  {
    seed: 31,
    why: 'a sweep under a store clock that was months ahead dropped keys of the present',
    options: wildWorld(31, 12),
  },
  {
    seed: 45,
    why: 'inputs beyond their budget were paged straight back into memory',
    options: wildWorld(45, 12),
  },
  {
    seed: 23,
    why: 'a tenant with work that fits nowhere saved up a claim on every place',
    options: wildWorld(23, 30),
  },
  {
    seed: 49,
    why: 'work that fits waited behind a parked backlog that fits nowhere',
    options: wildWorld(49, 12),
  },
  {
    seed: 28,
    why: 'cancelled tasks behind a head that fits nowhere stayed reachable',
    options: wildWorld(28, 30),
  },
  {
    seed: 25,
    why: 'a list showed a run waiting that had been running',
    options: wildWorld(25, 12),
  },
  {
    seed: 14,
    why: 'a retry had lost the unique value of its run',
    options: wildWorld(14, 12),
  },
  {
    seed: 1063,
    why: 'each lane behind a head that fits nowhere kept up to 64 ended runs, which adds up over lanes',
    options: drawOptions(1063, 30),
  },
  {
    seed: 1110,
    why: 'a batch was refused as not done after one of its entries was in the inbox',
    options: drawOptions(1110, 30),
  },
  {
    seed: 1128,
    why: 'a retry was answered with a live run of the same unique value, and judged as a run of its own',
    options: drawOptions(1128, 30),
  },
  {
    seed: 89,
    why: 'the place of an evicted attempt stayed taken for its grace after its worker was told that it is stale',
    options: { ...drawOptions(89, 8), ...EVICTED },
  },
  {
    seed: 128,
    why: 'the place of an attempt that was evicted while its input was read, and was never sent, stayed taken',
    options: { ...drawOptions(128, 8), ...EVICTED },
  },
  {
    seed: 3047,
    why: 'a tenant that began to wait in the commit that gave the places away was judged as waiting for them',
    options: drawOptions(3047, 2),
  },
  {
    seed: 203,
    why: 'the stream of a run went backwards when it was resumed on a feed that waited for the name of a run',
    options: drawOptions(203, 30),
  },
  {
    seed: 4004,
    why: 'a group that was full when its partition was given up stayed open, and no mail was read any more',
    options: drawOptions(4004, 14),
  },
  {
    seed: 100_168,
    why: 'a node that started after a step of the clock forgot keys that slower nodes had just taken',
    options: drawOptions(100_168, 16),
  },
  {
    seed: 110_068,
    why: 'a cancelled assignment that nobody accepted was held for the grace of its job, which was years',
    options: drawOptions(110_068, 30),
  },
  {
    seed: 130135,
    why: 'after a partition was lost and taken again, tenants owed what their attempts had used before, and assignments that were refused set the level for all others',
    options: contestOnTightStore(130135),
  },
];
