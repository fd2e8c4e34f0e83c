import { balanceProblem } from './balance.ts';
import { type Measured, type Measurement, measurementOf } from './measurement.ts';
import { waitForQuiet } from './proc/quiet.ts';
import { readable } from './report/readable.ts';
import type { Servers } from './servers/servers.ts';
import { Session } from './session.ts';
import type { Shape, System, Tuning } from './systems/system.ts';

const ATTEMPTS_MAX = 3;
const QUIET = { lookMs: 1_000, patienceMs: 120_000 };

export type Measure = (session: Session) => Promise<Measured>;

export interface RoundsParams {
  readonly shape: Shape;
  /** Which of the shape's sizes, where it has several. */
  readonly label: string;
  readonly systems: readonly System[];
  readonly rounds: number;
  readonly servers: Servers;
  readonly measure: Measure;
  /** Measures at once and only once, whoever else uses the machine. */
  readonly disturbedOk: boolean;
  /** Tells people how far it is. */
  readonly log: (line: string) => void;
}

/** The order of a round: each begins with another system, so that none is always the first. */
export function rotated<Item>(items: readonly Item[], round: number, rounds: number): Item[] {
  const by = Math.floor((round * items.length) / rounds);
  return [...items.slice(by), ...items.slice(0, by)];
}

/** Measures every system in every round, one after the other, each time from an empty storage. */
export async function measureRounds(params: RoundsParams): Promise<Measurement[]> {
  const { shape, systems, rounds, log } = params;
  const taking = systems.flatMap((system) => {
    const tuning = system.tunings[shape];
    return tuning === undefined ? [] : [{ system, tuning }];
  });
  const found: Measurement[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const { system, tuning } of rotated(taking, round, rounds)) {
      const measurement = await measureUndisturbed({ ...params, round, system, tuning });
      log(lineOf(measurement));
      found.push(measurement);
    }
  }
  return found;
}

type OneParams = RoundsParams & {
  readonly round: number;
  readonly system: System;
  readonly tuning: Tuning;
};

/** A disturbed measurement is repeated; one that stays disturbed says so. */
async function measureUndisturbed(params: OneParams): Promise<Measurement> {
  for (let attempt = 1; ; attempt++) {
    const measurement = await measureOnce(params);
    const isLast = params.disturbedOk || attempt === ATTEMPTS_MAX;
    if (!measurement.isDisturbed || isLast) return measurement;
    params.log(`${lineOf(measurement)}; again`);
  }
}

async function measureOnce(params: OneParams): Promise<Measurement> {
  const { shape, label, round, system, tuning, servers, measure } = params;
  const session = await Session.open(system, tuning, servers);
  await session.checkpoint();
  if (!params.disturbedOk) await waitForQuiet({ ...QUIET, log: params.log });
  const measured = await measure(session);
  const balance = await session.close();
  const problem = balanceProblem(balance);
  if (problem !== null) throw new Error(`${system.name}, ${shape}: ${problem}`);
  const { duplicates } = balance;
  return measurementOf({ session, shape, label, round, measured, duplicates });
}

/** How far it is, for people. */
export function lineOf(measurement: Measurement): string {
  const { shape, label, system, round, figures, cost, isDisturbed } = measurement;
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${readable(value)}`);
  const { foreignCores, stealCores } = cost.usage;
  const disturbed = isDisturbed
    ? `, disturbed by ${readable(foreignCores)} foreign and ${readable(stealCores)} stolen cores`
    : '';
  return `${shape} ${label === '' ? '' : `(${label}) `}${system} round ${round + 1}: ${shown.join(', ')}${disturbed}`;
}
