import { balanceProblem } from '../balance.ts';
import { nowMs } from '../clock.ts';
import { type Measured, type Measurement, measurementOf } from '../measurement.ts';
import { waitForQuiet } from '../proc/quiet.ts';
import { lineOf, rotated } from '../rounds.ts';
import type { Servers } from '../servers/servers.ts';
import { measureLatency } from '../shapes/latency.ts';
import { measureSteady } from '../shapes/steady.ts';
import type { Shape, System } from '../systems/system.ts';
import { type Lane, QuickSessions } from './quick-sessions.ts';

/** For everything, from the start of the servers to the last check. */
const BUDGET_MS = 48_000;
/** Stopping, and looking into the stores for what is left. */
const CLOSING_MS = 3_000;
const ROUNDS_MAX = 3;
const QUIET = { lookMs: 400, patienceMs: 1_200 };

/** Before the first round, so that compilers have seen the code that is measured. */
const WARM_UP = { warmMs: 0, windowMs: 2_500 };
const STEADY = { warmMs: 300, windowMs: 1_000 };
const SINGLE = { warmMs: 200, windowMs: 700 };
const LATENCY = { latencyTasks: 40, latencyGapMs: 15, latencyWarm: 5 };

interface Item {
  readonly shape: Shape;
  readonly system: string;
  readonly measure: (lane: Lane) => Promise<Measured>;
}

const steady = ({ session, load }: Lane): Promise<Measured> => measureSteady(session, STEADY, load);
const single = ({ session, load }: Lane): Promise<Measured> => measureSteady(session, SINGLE, load);
const latency = ({ session }: Lane): Promise<Measured> => measureLatency(session, LATENCY);

/** Those that it measures. */
export const QUICK_SYSTEMS: readonly string[] = [
  'signalbox',
  'signalbox-embedded',
  'graphile-worker',
  'pg-boss',
];

const PEERS = ['graphile-worker', 'pg-boss'] as const;

const ITEMS: readonly Item[] = [
  ...['signalbox', 'signalbox-embedded', ...PEERS].map((system) => ({
    shape: 'steady' as const,
    system,
    measure: steady,
  })),
  ...['signalbox', ...PEERS].map((system) => ({
    shape: 'single' as const,
    system,
    measure: single,
  })),
  ...['signalbox', ...PEERS].map((system) => ({
    shape: 'latency' as const,
    system,
    measure: latency,
  })),
];

/** Short windows in turns, as many rounds as the budget allows. */
export async function measureQuick(params: {
  systems: readonly System[];
  servers: Servers;
  disturbedOk: boolean;
  log: (line: string) => void;
}): Promise<Measurement[]> {
  const { systems, servers, disturbedOk, log } = params;
  const openedAtMs = nowMs();
  const endMs = openedAtMs + BUDGET_MS - CLOSING_MS;
  const since = (): string => `after ${((nowMs() - openedAtMs) / 1_000).toFixed(1)} s`;
  const sessions = new QuickSessions(servers);
  const lanes = await Promise.all(
    ITEMS.map(async (item) => {
      const system = systems.find(({ name }) => name === item.system);
      if (system === undefined) throw new Error(`there is no ${item.system}`);
      const lane = await sessions.lane(system, item.shape);
      await lane.session.ensureWorking();
      return { item, lane };
    }),
  );
  log(`everything runs ${since()}`);
  if (!disturbedOk) await waitForQuiet({ ...QUIET, log });
  for (const { item, lane } of lanes) {
    if (item.shape === 'steady') await measureSteady(lane.session, WARM_UP, lane.load);
  }
  const found: Measurement[] = [];
  for (let round = 0, lastMs = 0; round < ROUNDS_MAX && nowMs() + lastMs < endMs; round++) {
    const startedAtMs = nowMs();
    for (const { item, lane } of rotated(lanes, round, ROUNDS_MAX)) {
      const measurement = measurementOf({
        session: lane.session,
        shape: item.shape,
        label: '',
        round,
        measured: await item.measure(lane),
        duplicates: 0,
      });
      log(lineOf(measurement));
      found.push(measurement);
    }
    lastMs = nowMs() - startedAtMs;
  }
  log(`measured ${since()}`);
  for (const { system, balance } of await sessions.close()) {
    const problem = balanceProblem(balance);
    if (problem !== null) throw new Error(`${system}: ${problem}`);
    if (balance.duplicates > 0) log(`${system} handled ${balance.duplicates} tasks twice`);
  }
  return found;
}
