import { nowMs } from './clock.ts';
import type { Environment } from './environment.ts';
import type { Measurement } from './measurement.ts';
import type { Options } from './options.ts';
import { measureRounds } from './rounds.ts';
import type { Servers } from './servers/servers.ts';
import { variantsOf } from './shapes/all-shapes.ts';
import type { Sizes } from './shapes/sizes.ts';
import { type Line, summarize } from './summary.ts';
import type { Shape } from './systems/system.ts';

/** A peer's storage is not filled beyond this: its figures there would take hours and say little. */
const PEER_TASKS_MAX = 1_000_000;

const LONG: ReadonlySet<Shape> = new Set(['backlog', 'history', 'idle']);

export interface Comparison {
  readonly environment: Environment;
  readonly sizes: Sizes;
  readonly lines: readonly Line[];
  readonly measurements: readonly Measurement[];
}

/** Measures the chosen systems in one shape. */
export async function compare(params: {
  shape: Shape;
  options: Options;
  environment: Environment;
  servers: Servers;
  log: (line: string) => void;
}): Promise<Comparison> {
  const { shape, options, environment, servers, log } = params;
  const startedAtMs = nowMs();
  const measurements: Measurement[] = [];
  for (const { label, tasks, measure } of variantsOf(shape, options.sizes)) {
    const found = await measureRounds({
      shape,
      label,
      systems: options.systems.filter(({ isPeer }) => !isPeer || tasks <= PEER_TASKS_MAX),
      rounds: LONG.has(shape) ? options.longRounds : options.rounds,
      servers,
      measure: (session) => measure(session, options.sizes),
      disturbedOk: options.disturbedOk,
      log,
    });
    measurements.push(...found);
  }
  log(`${shape} took ${Math.round((nowMs() - startedAtMs) / 1_000)} s`);
  return { environment, sizes: options.sizes, measurements, lines: summarize(measurements) };
}

/** What several shapes found, as one. */
export function joined([first, ...others]: readonly [Comparison, ...Comparison[]]): Comparison {
  const all = [first, ...others];
  return {
    ...first,
    lines: all.flatMap(({ lines }) => lines),
    measurements: all.flatMap(({ measurements }) => measurements),
  };
}
