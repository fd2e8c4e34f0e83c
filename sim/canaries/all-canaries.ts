import { CHECKERS } from '../checkers/all-checkers.ts';
import type { Evidence } from '../evidence.ts';
import { simulate } from '../simulate.ts';
import type { Options } from '../world/options.ts';
import { Streams } from '../world/streams.ts';
import { TAME } from '../world/wild-options.ts';
import { type CodeCanary, canaryWorld } from './canary.ts';
import { ENGINE_CANARIES } from './engine-canaries.ts';
import { EVENT_CANARIES } from './event-canaries.ts';
import { FOUND_CANARIES } from './found-canaries.ts';
import type { Mutant } from './mutant.ts';
import { MUTANTS_OF_ANSWERS } from './mutants-of-answers.ts';
import { MUTANTS_OF_EVENTS } from './mutants-of-events.ts';
import { MUTANTS_OF_GRAPHS } from './mutants-of-graphs.ts';
import { MUTANTS_OF_HISTORY } from './mutants-of-history.ts';
import { MUTANTS_OF_NESTED } from './mutants-of-nested.ts';
import { MUTANTS_OF_OWNERS } from './mutants-of-owners.ts';
import { MUTANTS_OF_REST } from './mutants-of-rest.ts';
import { MUTANTS_OF_RUNS } from './mutants-of-runs.ts';
import { MUTANTS_OF_STREAMS } from './mutants-of-streams.ts';
import { MUTANTS_OF_WINDOWS } from './mutants-of-windows.ts';
import { MUTANTS_OF_WORKERS } from './mutants-of-workers.ts';
import { NESTED_CANARIES } from './nested-canaries.ts';
import { STORE_CANARIES } from './store-canaries.ts';
import { WILD_CANARIES } from './wild-canaries.ts';
import { WINDOW_CANARIES } from './window-canaries.ts';

export const CODE_CANARIES: readonly CodeCanary[] = [
  ...STORE_CANARIES,
  ...ENGINE_CANARIES,
  ...WINDOW_CANARIES,
  ...EVENT_CANARIES,
  ...NESTED_CANARIES,
  ...WILD_CANARIES,
  ...FOUND_CANARIES,
];
export const MUTANTS: readonly Mutant[] = [
  ...MUTANTS_OF_RUNS,
  ...MUTANTS_OF_WORKERS,
  ...MUTANTS_OF_OWNERS,
  ...MUTANTS_OF_WINDOWS,
  ...MUTANTS_OF_GRAPHS,
  ...MUTANTS_OF_EVENTS,
  ...MUTANTS_OF_NESTED,
  ...MUTANTS_OF_ANSWERS,
  ...MUTANTS_OF_REST,
  ...MUTANTS_OF_HISTORY,
  ...MUTANTS_OF_STREAMS,
];

/** Each lie is told at several places of the same clean history. */
const PLACES = 3;
const MUTANTS_NAME = 'mutants';
const DETERMINISM_NAME = 'dice that are not the seed’s';

export const CANARY_NAMES: readonly string[] = [
  ...CODE_CANARIES.map((canary) => canary.name),
  DETERMINISM_NAME,
  MUTANTS_NAME,
];

export interface CanaryResult {
  readonly caught: number;
  readonly total: number;
  readonly missed: readonly string[];
}

export async function runCanary(name: string): Promise<CanaryResult> {
  if (name === MUTANTS_NAME) return runMutants();
  if (name === DETERMINISM_NAME) return runLoadedDice();
  const canary = CODE_CANARIES.find((each) => each.name === name);
  if (canary === undefined) throw new RangeError(`there is no canary ${name}`);
  const seen: string[] = [];
  for (let i = 0; i < (canary.seeds ?? 1); i++) {
    const options = { ...canary.options, seed: canary.options.seed + i };
    const { result } = await simulate(options, canary.sabotage());
    const isCaught = result.violations.some(({ checker }) => checker === canary.caughtBy);
    if (isCaught) return { caught: 1, total: 1, missed: [] };
    seen.push(...result.violations.map(({ checker }) => checker));
  }
  const missed = [`${name} (for ${canary.caughtBy}; seen by: ${seen.join(', ') || 'nobody'})`];
  return { caught: 0, total: 1, missed };
}

/** A history that every checker finds clean; a lie told about it is the only thing wrong. */
export async function cleanEvidence(schedules = 0, hears = false): Promise<Evidence> {
  // Schedules bring enough work of their own.
  const load = schedules === 0 ? {} : { submitEveryMs: 6_000, restMinutes: 30 };
  const faults = { 'node.crash': 60_000, 'worker.crash': 50_000, 'node.pause': 90_000 };
  // Some ask a node that does not own the partition, so that the inbox has its part.
  const wild = { ...TAME, strayShare: 0.2 };
  const options = canaryWorld(40, faults, {
    minutes: 10,
    nodes: 3,
    schedules,
    hears,
    ...load,
    wild,
  });
  return clean(options);
}

/** Tenants compete for the places of one node, and all get their share. */
async function contestEvidence(): Promise<Evidence> {
  const wild = { ...TAME, contest: true };
  const options = canaryWorld(43, {}, { minutes: 12, nodes: 1, burst: 60, dueShare: 0, wild });
  return clean(options);
}

/** Streams are watched, cut and resumed. */
async function watchedEvidence(): Promise<Evidence> {
  const wild = { ...TAME, watchers: 2 };
  return clean(canaryWorld(45, { 'node.crash': 60_000 }, { minutes: 6, nodes: 3, wild }));
}

async function clean(options: Options): Promise<Evidence> {
  const { evidence, result } = await simulate(options);
  if (result.violations.length > 0) {
    throw new Error(`the clean history is not clean: ${JSON.stringify(result.violations[0])}`);
  }
  return evidence;
}

async function runMutants(): Promise<CanaryResult> {
  // Lies about runs are told of a world without schedules: a run of a window is C7's alone.
  const plain = await cleanEvidence();
  const evidences = new Map([
    ['C7', await cleanEvidence(8)],
    ['C14', await cleanEvidence(0, true)],
    ['C17', await contestEvidence()],
    ['C21', await watchedEvidence()],
  ]);
  const missed: string[] = [];
  let total = 0;
  for (const mutant of MUTANTS) {
    const checker = CHECKERS.find((each) => each.name === mutant.caughtBy);
    const dice = new Streams(1).of(mutant.name);
    const evidence = evidences.get(mutant.caughtBy) ?? plain;
    for (let place = 0; place < PLACES; place++) {
      total++;
      const mutated = mutant.mutate(evidence, dice);
      if (mutated === null) missed.push(`${mutant.name}: the history offers no place for it`);
      else if ((checker?.check(mutated).length ?? 0) === 0) {
        missed.push(`${mutant.name} (for ${mutant.caughtBy}), place ${place}`);
      }
    }
  }
  return { caught: total - missed.length, total, missed };
}

/** Randomness from outside of the seed: two runs must not look alike. */
async function runLoadedDice(): Promise<CanaryResult> {
  const options = canaryWorld(41, {}, { minutes: 3 });
  let draws = 0;
  const hashes: string[] = [];
  for (let run = 0; run < 2; run++) {
    const { result } = await simulate(options, {
      ports: (ports) => ({ ...ports, random: { next: () => (++draws * 0.618_033_988_7) % 1 } }),
    });
    hashes.push(result.hash);
  }
  const missed = hashes[0] === hashes[1] ? [DETERMINISM_NAME] : [];
  return { caught: 1 - missed.length, total: 1, missed };
}
