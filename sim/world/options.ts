import type { EngineSettings } from '@signalbox/engine';
import type { LoopSettings } from '@signalbox/node/loop';
import { PAYLOAD_INLINE_MAX } from '@signalbox/protocol';
import { between, chance, type Dice, pick, Streams } from './streams.ts';
import {
  drawLateWildness,
  drawWild,
  type LateWildness,
  NO_LATE_WILDNESS,
  type Wild,
} from './wild-options.ts';

/** Mean time between two faults of a kind; absent: never in this seed. */
export type FaultRates = { readonly [F in FaultName]?: number };

export const FAULTS = [
  'node.crash',
  'node.pause',
  'node.stop',
  'nodes.all-down',
  'worker.crash',
  'worker.pause',
  'worker.hang',
  'worker.drain',
  'worker.cordon',
  'worker.evict',
  'link.cut',
  'link.cut-one-way',
  'link.half-open',
  'link.clog',
  'net.bad',
  'store.cut',
  'store.cut-answers',
  'store.slow',
  'store.away',
  'store.flaky',
  'store.stale',
  'clock.step',
] as const;
export type FaultName = (typeof FAULTS)[number];

/** Everything that a seed draws before it begins; printed first, so that a failure says its world. */
export interface Options {
  readonly seed: number;
  /** How long faults last. */
  readonly minutes: number;
  /** How long a healed world may take to come to rest; more where clocks were set far apart. */
  readonly restMinutes: number;
  readonly nodes: number;
  /** Slots of each worker. */
  readonly workers: readonly number[];
  readonly tenants: number;
  readonly partitions: number;
  readonly faults: FaultRates;
  /** The largest step of the store's clock. */
  readonly clockStepMsMax: number;
  readonly submitEveryMs: number;
  readonly burst: number;
  readonly keyShare: number;
  readonly dueShare: number;
  readonly liarShare: number;
  readonly schedules: number;
  /** Mean time between two edits of schedules; absent: as the authors have it. */
  readonly scheduleEditMs?: number;
  /** Whether runs start others when they end. */
  readonly follows: boolean;
  /** Whether clients send events, and runs wait for them. */
  readonly hears: boolean;
  readonly engine: Partial<EngineSettings>;
  readonly loop: Partial<LoopSettings>;
  readonly wild: Wild;
}

const MEAN_MS: { readonly [F in FaultName]: readonly [number, number] } = {
  'node.crash': [60_000, 400_000],
  'node.pause': [60_000, 400_000],
  'node.stop': [120_000, 600_000],
  'nodes.all-down': [600_000, 1_500_000],
  'worker.crash': [30_000, 300_000],
  'worker.pause': [60_000, 300_000],
  'worker.hang': [100_000, 500_000],
  'worker.drain': [100_000, 500_000],
  'worker.cordon': [200_000, 800_000],
  'worker.evict': [100_000, 500_000],
  'link.cut': [40_000, 300_000],
  'link.cut-one-way': [40_000, 300_000],
  'link.half-open': [60_000, 400_000],
  'link.clog': [60_000, 300_000],
  'net.bad': [120_000, 500_000],
  'store.cut': [60_000, 400_000],
  'store.cut-answers': [60_000, 400_000],
  'store.slow': [120_000, 600_000],
  'store.away': [200_000, 900_000],
  'store.flaky': [60_000, 400_000],
  'store.stale': [200_000, 900_000],
  'clock.step': [200_000, 900_000],
};

/** How long a run keeps a slot, over all jobs and tries. */
const SERVICE_MS = 9_000;

/** Swarm: each seed has its own few faults and sizes; all at once would drown the rare meetings. */
export function drawOptions(
  seed: number,
  minutes: number,
  late: LateWildness = drawLateWildness(new Streams(seed).of('wild/late')),
): Options {
  const dice = new Streams(seed).of('options');
  const faults: { [F in FaultName]?: number } = {};
  const eagerness = pick(dice, [0.15, 0.35, 0.6]);
  for (const fault of FAULTS) {
    const [from, to] = MEAN_MS[fault];
    const mean = between(dice, from, to);
    if (chance(dice, eagerness)) faults[fault] = Math.round(mean);
  }
  const workers = Array.from({ length: 2 + dice.int(9) }, () => 1 + dice.int(6));
  const slots = workers.reduce((sum, each) => sum + each, 0);
  return settled({
    seed,
    minutes,
    restMinutes: 120,
    nodes: 1 + dice.int(5),
    workers,
    tenants: 1 + dice.int(4),
    partitions: 1 + dice.int(8),
    faults,
    clockStepMsMax: chance(dice, 0.1) ? 3_600_000 : 5_000,
    // A fifth to two thirds of what the fleet can carry: a backlog that never ends hides the rest.
    submitEveryMs: Math.max(1_000, SERVICE_MS / (slots * between(dice, 0.2, 0.65))),
    burst: chance(dice, 0.3) ? 20 + dice.int(80) : 1 + dice.int(10),
    keyShare: between(dice, 0.2, 1),
    dueShare: between(dice, 0, 0.3),
    liarShare: chance(dice, 0.4) ? 0.3 : 0,
    engine: drawEngine(dice),
    loop: drawLoop(dice),
    schedules: chance(dice, 0.6) ? 1 + dice.int(6) : 0,
    follows: chance(dice, 0.5),
    hears: chance(dice, 0.5),
    wild: { ...drawWild(new Streams(seed).of('wild')), ...late },
  });
}

const LARGE_INPUT = 40_000;

/** Budgets of bytes that such inputs exceed: in memory, in a group, in a commit. */
function withLargeInputs(options: Options): Options {
  const { tightStore, hugeInputs } = options.wild;
  const largest = hugeInputs ? PAYLOAD_INLINE_MAX : LARGE_INPUT - 1;
  const times = hugeInputs ? 6.5 : 1;
  // Beyond a full group a commit may hold one more request, which is a batch of such inputs.
  const groupBytesMax = (tightStore ? 2_000_000 : 100_000) * times;
  const loop = { ...options.loop, groupBytesMax };
  const pages = { pageSize: 3, queueWindow: 60, classWindow: 60, nodeWindow: 63 };
  const engine = { ...options.engine, ...pages, inputBytesMax: 60_000 * times };
  const commitBytesMax = (tightStore ? 300_000 : 450_000) * times;
  const wild = { ...options.wild, inputBytesMax: largest, commitBytesMax };
  const burst = Math.max(options.burst, 80);
  return { ...options, loop, engine, wild, burst };
}

/**
 * A lease that is granted under a clock far ahead lasts as long for a node that then dies: no
 * owner may die here, and history is swept.
 */
function underWrongClock(options: Options): Options {
  const safe = Object.entries(options.faults).filter(([name]) => /^(worker|link|net)/.test(name));
  const everyMs = 20_000 + (options.seed % 7) * 10_000;
  const kept = options.wild.keeping ?? { historyMs: 90 * 86_400_000, keysMs: 7 * 86_400_000 };
  const keeping = { factsMs: 86_400_000, ...kept, everyMs };
  const wild = { ...options.wild, contest: false, keeping };
  return { ...options, faults: Object.fromEntries(safe), wild };
}

/** Nothing but time is far off here, and nothing waits that would hold all that is old. */
function overDays(options: Options, ages: NonNullable<Wild['ages']>): Options {
  const misfitShare = ages.farShare === 0 ? 0 : options.wild.misfitShare;
  const calm = { keeping: ages.keeping, excursionMs: 0, contest: false, misfitShare };
  return { ...options, schedules: 0, wild: { ...options.wild, ...calm } };
}

/** What was drawn, made consistent: some kinds of wildness exclude each other. */
function settled(options: Options): Options {
  const { ages, excursionMs, contest } = options.wild;
  const isContest = contest && ages === null && excursionMs === 0;
  // Before the budgets of bytes are derived: they depend on the wildness that a contest leaves out.
  const calm = isContest ? inContest(options) : options;
  const sized = calm.wild.inputBytesMax === LARGE_INPUT ? withLargeInputs(calm) : calm;
  if (isContest) return { ...sized, burst: CONTEST_BURST };
  if (ages !== null) return overDays(sized, ages);
  return excursionMs === 0 ? sized : underWrongClock(sized);
}

const CONTEST_BURST = 60;

/** Fair shares are a node's own: where tenants compete, there is one node, and little else happens. */
function inContest(options: Options): Options {
  const misfitShare = Math.max(0.02, options.wild.misfitShare);
  const wild = { ...options.wild, ...NO_LATE_WILDNESS, misfitShare };
  const tenants = Math.max(2, options.tenants);
  const alone = { nodes: 1, liarShare: 0, schedules: 0, follows: false, hears: false };
  return { ...options, ...alone, tenants, faults: {}, dueShare: 0, wild };
}

/** Small windows make paging, parking, forgetting and budgets happen within minutes. */
function drawEngine(dice: Dice): Partial<EngineSettings> {
  const settings: { -readonly [K in keyof EngineSettings]?: EngineSettings[K] } = {};
  if (chance(dice, 0.5)) {
    settings.pageSize = 2 + dice.int(8);
    settings.queueWindow = settings.pageSize + 2 + dice.int(20);
    settings.classWindow = settings.queueWindow * (1 + dice.int(4));
    settings.nodeWindow = settings.classWindow + settings.pageSize;
  }
  if (chance(dice, 0.3)) settings.inputBytesMax = 200 + dice.int(2_000);
  if (chance(dice, 0.6)) settings.horizonMs = 20_000 + dice.int(200_000);
  if (chance(dice, 0.5)) settings.keysKept = 1 + dice.int(20);
  if (chance(dice, 0.3)) {
    settings.retriesPerSecond = 1 + dice.int(5);
    settings.retriesPerSecondPerReason = 1 + dice.int(3);
    settings.retriesPerMinutePerJob = 5 + dice.int(30);
  }
  if (chance(dice, 0.3)) settings.assignmentsPerStep = 1 + dice.int(5);
  if (chance(dice, 0.4)) settings.acceptMs = 2_000 + dice.int(10_000);
  return settings;
}

function drawLoop(dice: Dice): Partial<LoopSettings> {
  const settings: { -readonly [K in keyof LoopSettings]?: LoopSettings[K] } = {};
  if (chance(dice, 0.7)) settings.checkpointFacts = 20 + dice.int(300);
  if (chance(dice, 0.2)) {
    settings.pendingFactsMax = 5 + dice.int(50);
    settings.idleTurnFactsMax = 1 + (settings.pendingFactsMax % 7);
  }
  if (chance(dice, 0.1)) settings.mailboxMax = 20 + dice.int(100);
  if (chance(dice, 0.3)) settings.inboxPollMs = 500 + dice.int(2_000);
  settings.schedulePollMs = 1_000 + dice.int(4_000);
  return settings;
}
