import { check, type Violation } from './checkers/all-checkers.ts';
import { coverJournal } from './cover-journal.ts';
import type { Coverage } from './coverage.ts';
import { type Evidence, gather } from './evidence.ts';
import { hashHistory } from './history.ts';
import { drawOptions, type Options } from './world/options.ts';
import type { Sabotage } from './world/sabotage.ts';
import { World } from './world/world.ts';

/** Faults, then heal, then rest. I21: the options and their seed determine everything that happens. */
export async function runWorld(options: Options, sabotage: Sabotage = {}): Promise<World> {
  const world = new World(options, sabotage);
  await world.begin();
  await world.clockwork.runUntil(options.minutes * 60_000);
  world.heal();
  const stepMs = options.faults['clock.step'] === undefined ? 0 : options.clockStepMsMax * 2;
  await world.clockwork.runUntil(world.clockwork.now + 5_000);
  let looks = 0;
  await world.clockwork.runUntil(
    world.clockwork.now + options.restMinutes * 60_000 + stepMs,
    () => {
      return ++looks % 50 === 0 && world.isQuiet;
    },
  );
  // Leases, beats and checkpoints go on; nothing of it may wake anything up again.
  await world.clockwork.runUntil(world.clockwork.now + 20_000);
  return world;
}

export interface SeedResult {
  readonly seed: number;
  readonly options: Options;
  readonly violations: readonly Violation[];
  readonly stacks: readonly string[];
  readonly sometimes: Coverage['counts'];
  readonly hash: string;
  readonly tasks: number;
  readonly runs: number;
  readonly simulatedMs: number;
  /** Processor time; not part of the log. */
  readonly cpuMs: number;
  readonly events: number;
}

export async function simulate(
  options: Options,
  sabotage: Sabotage = {},
): Promise<{
  result: SeedResult;
  evidence: Evidence;
  world: World;
}> {
  const cpuBefore = process.cpuUsage();
  const world = await runWorld(options, sabotage);
  const evidence = await gather(world);
  coverJournal(evidence, world.coverage);
  const result = {
    seed: options.seed,
    options,
    violations: check(evidence),
    stacks: world.stacks,
    sometimes: world.coverage.counts,
    hash: hashHistory([...evidence.events, evidence.runs.length, world.clockwork.events]),
    tasks: evidence.runs.reduce(
      (sum, { run }) => sum + (evidence.jobs.get(run.job)?.tasks?.length ?? 1),
      0,
    ),
    runs: evidence.runs.length,
    simulatedMs: world.clockwork.now,
    cpuMs: cpuMsSince(cpuBefore),
    events: world.clockwork.events,
  };
  return { result, evidence, world };
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export async function simulateSeed(seed: number, minutes: number): Promise<SeedResult> {
  return (await simulate(drawOptions(seed, minutes))).result;
}
