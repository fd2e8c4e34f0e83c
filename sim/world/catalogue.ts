import type { JobDefinition } from '@signalbox/engine';
import { edgeJob } from './edges.ts';
import { GATES, GRAPHS, task } from './graph-jobs.ts';
import type { Options } from './options.ts';
import { between, chance, type Dice } from './streams.ts';

/** How the handler of a task behaves; told to the worker by the job's name. */
export interface Behaviour {
  readonly ms: readonly [number, number];
  /** Shares of attempts; the rest succeeds. */
  readonly transient?: number;
  readonly permanent?: number;
  readonly resource?: number;
  /** Runs on and on: only a time-out ends it. */
  readonly hang?: number;
  /** Takes its worker down. */
  readonly kills?: number;
  /** Reports progress; where `freezes`, it stands still after a while in that share of attempts. */
  readonly progress?: boolean;
  readonly freezes?: number;
  readonly checkpoints?: boolean;
  readonly extends?: boolean;
  /** What its output asks for: so many children, and so many more tasks. */
  readonly asks?: { readonly total: number; readonly adds: number };
}

export interface Job {
  readonly name: string;
  readonly definition: JobDefinition;
  readonly behaviour: Behaviour;
  /** Jobs that it cannot do without: known wherever it is. */
  readonly needs?: readonly string[];
  /** How often it is chosen; 0 for one that only others start. */
  readonly weight: number;
}

export interface Tenant {
  readonly tenant: string;
  readonly weight: number;
  readonly runningMax: number;
}

/** What there is to run. The same names in every seed, so that a log reads alike; sizes are drawn. */
export interface Catalogue {
  readonly tenants: readonly Tenant[];
  readonly jobs: readonly Job[];
  job(name: string): Job;
}

/** The type of events that clients send. */
export const PING = 'ping';

/**
 * Waits for events, one of a kind and then any: only where clients send some. Events come before the
 * waits begin as well as after.
 */
export const LISTENS: Job = {
  name: 'listens',
  weight: 4,
  definition: {
    failurePolicy: 'CONTINUE',
    tasks: [
      task({ name: 'a' }),
      {
        name: 'even',
        after: ['a'],
        event: { type: PING, when: 'even', timeoutMs: 40_000, default: 'skip' },
      },
      {
        name: 'any',
        after: ['even'],
        ifParentSkipped: 'run',
        event: { type: PING, timeoutMs: 40_000, default: 'skip' },
      },
      task({ name: 'end', after: ['any'], ifParentSkipped: 'run' }),
    ],
  },
  behaviour: { ms: [50, 9_000], permanent: 0.05 },
};

const JOBS: readonly Job[] = [
  { name: 'quick', weight: 6, definition: { tasks: [task()] }, behaviour: { ms: [20, 400] } },
  {
    name: 'urgent',
    weight: 3,
    definition: { class: 0, tasks: [task()] },
    behaviour: { ms: [20, 2_000] },
  },
  {
    name: 'bulk',
    weight: 5,
    definition: { class: 2, tasks: [task()] },
    behaviour: { ms: [500, 8_000] },
  },
  { name: 'normal', weight: 5, definition: { tasks: [task()] }, behaviour: { ms: [500, 15_000] } },
  {
    name: 'flaky',
    weight: 3,
    definition: { tasks: [task({ retry: { attemptsMax: 4, onExhausted: 'fail' } })] },
    behaviour: { ms: [100, 3_000], transient: 0.4 },
  },
  {
    name: 'broken',
    weight: 1,
    definition: { tasks: [task()] },
    behaviour: { ms: [50, 1_000], permanent: 0.8 },
  },
  {
    name: 'poison',
    weight: 1,
    definition: { tasks: [task({ retry: { attemptsMax: 2, fixedDelayMs: 1_000 } })] },
    behaviour: { ms: [50, 2_000], transient: 0.6, kills: 0.3 },
  },
  {
    name: 'endless',
    weight: 1,
    definition: {
      tasks: [
        task({
          retry: { attemptsMax: 2, fixedDelayMs: 2_000, onTimeout: 'end' },
          timeouts: { hardMs: 9_000, graceMs: 2_000 },
        }),
      ],
    },
    behaviour: { ms: [1_000, 6_000], hang: 0.6 },
  },
  {
    name: 'frozen',
    weight: 1,
    definition: {
      tasks: [task({ timeouts: { progressMs: 12_000, graceMs: 2_000, hardMs: 90_000 } })],
    },
    behaviour: { ms: [8_000, 30_000], progress: true, freezes: 0.5 },
  },
  {
    name: 'hungry',
    weight: 1,
    definition: { tasks: [task({ request: { slots: 1, memoryMb: 200 } })] },
    behaviour: { ms: [100, 4_000], resource: 0.4 },
  },
  {
    name: 'long',
    weight: 2,
    definition: {
      tasks: [
        task({
          timeouts: { hardMs: 40_000, graceMs: 4_000 },
          retry: { attemptsMax: 6, fixedDelayMs: 2_000 },
        }),
      ],
    },
    behaviour: { ms: [20_000, 60_000], progress: true, checkpoints: true, extends: true },
  },
  {
    name: 'critical',
    weight: 1,
    definition: { class: 0, tasks: [task({ critical: true })] },
    behaviour: { ms: [1_000, 9_000] },
  },
  {
    name: 'picky',
    weight: 1,
    definition: { tasks: [task({ labels: { disk: 'ssd' }, apart: ['bulk'] })] },
    behaviour: { ms: [200, 5_000] },
  },
  {
    name: 'chain',
    weight: 2,
    definition: {
      tasks: [
        task({ name: 'a' }),
        task({ name: 'b', after: ['a'] }),
        task({ name: 'c', after: ['b'] }),
      ],
    },
    behaviour: { ms: [50, 3_000], transient: 0.1 },
  },
  {
    name: 'diamond',
    weight: 2,
    definition: {
      tasks: [
        task({ name: 'a' }),
        task({ name: 'b', after: ['a'] }),
        task({ name: 'c', after: ['a'] }),
        task({ name: 'd', after: ['a'] }),
        task({ name: 'e', after: ['b', 'c', 'd'] }),
        task({ name: 'f' }),
      ],
    },
    behaviour: { ms: [50, 4_000], transient: 0.08, permanent: 0.05 },
  },
  ...GRAPHS,
];

/** Fit on no worker: one for its labels, one for its size. Nothing but a cancellation ends them. */
export const MISFITS: readonly Job[] = [
  {
    name: 'misfit',
    weight: 0,
    definition: { tasks: [task({ labels: { disk: 'tape' } })] },
    behaviour: { ms: [50, 50] },
  },
  {
    name: 'giant',
    weight: 0,
    definition: { tasks: [task({ request: { slots: 1_000 } })] },
    behaviour: { ms: [50, 50] },
  },
];

/** A second run of it is answered with the first, as long as that is live. */
const ALONE: Job = {
  name: 'alone',
  weight: 6,
  definition: { overlap: 'skip', tasks: [task()] },
  behaviour: { ms: [200, 9_000], permanent: 0.1 },
};

export function drawCatalogue(
  dice: Dice,
  { tenants: tenantCount, hears, wild }: Pick<Options, 'tenants' | 'hears' | 'wild'>,
): Catalogue {
  const tenants = Array.from({ length: tenantCount }, (_, i) => ({
    tenant: `t${i}`,
    weight: 1 + dice.int(4),
    // The first one is never held, so that a seed of one tenant gets on.
    runningMax:
      i > 0 && chance(dice, 0.6) && !wild.contest ? 1 + dice.int(4) : Number.POSITIVE_INFINITY,
  }));
  // Most seeds know most jobs; a seed of few kinds looks more closely at those.
  const drawn = chance(dice, 0.7) ? JOBS : JOBS.filter(() => chance(dice, 0.5));
  const needed = new Set(drawn.flatMap(({ needs = [] }) => needs));
  const jobs = JOBS.filter((job) => drawn.includes(job) || needed.has(job.name));
  const known = jobs.length === 0 ? JOBS : jobs;
  if (wild.contest) {
    const contested = JOBS.filter(({ name }) => name === 'bulk');
    const all = [...contested, ...MISFITS];
    return { tenants, jobs: all, job: (name) => all.find((job) => job.name === name) as Job };
  }
  const chosen = [...known, ...(hears ? [LISTENS] : []), ...(wild.overlaps ? [ALONE] : [])];
  if (wild.gates) chosen.push(...GATES);
  if (wild.misfitShare > 0) chosen.push(...MISFITS);
  if (wild.edges) chosen.push(edgeJob(dice));
  const byName = new Map([...JOBS, ...chosen].map((job) => [job.name, job]));
  return { tenants, jobs: chosen, job: (name) => byName.get(name) as Job };
}

export function drawJob(dice: Dice, jobs: readonly Job[]): Job {
  let at = dice.next() * jobs.reduce((sum, job) => sum + job.weight, 0);
  for (const job of jobs) {
    at -= job.weight;
    if (at < 0) return job;
  }
  return jobs[0] as Job;
}

/** How one attempt will go; drawn when it starts, because no two tries are alike. */
export interface Plan {
  readonly ms: number;
  readonly end: 'succeed' | 'transient' | 'permanent' | 'resource' | 'never' | 'kill';
  readonly freezesAtMs: number;
  readonly heedsAbort: boolean;
}

export function drawPlan(
  dice: Dice,
  behaviour: Behaviour,
  { resumed, deafShare }: { readonly resumed: boolean; readonly deafShare: number },
): Plan {
  const {
    ms: [from, to],
  } = behaviour;
  // A resumed attempt has part of the work behind it.
  const ms = between(dice, from, to) * (resumed ? 0.5 : 1);
  const frozen = chance(dice, behaviour.freezes ?? 0);
  return {
    ms,
    end: frozen ? 'never' : drawEnd(dice, behaviour),
    freezesAtMs: frozen ? between(dice, 0, ms) : Number.POSITIVE_INFINITY,
    heedsAbort: !chance(dice, deafShare),
  };
}

function drawEnd(dice: Dice, behaviour: Behaviour): Plan['end'] {
  let at = dice.next();
  const shares: [Plan['end'], number][] = [
    ['transient', behaviour.transient ?? 0],
    ['permanent', behaviour.permanent ?? 0],
    ['resource', behaviour.resource ?? 0],
    ['never', behaviour.hang ?? 0],
    ['kill', behaviour.kills ?? 0],
  ];
  for (const [end, share] of shares) {
    at -= share;
    if (at < 0) return end;
  }
  return 'succeed';
}
