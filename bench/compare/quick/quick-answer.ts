import type { Environment } from '../environment.ts';
import type { Measurement } from '../measurement.ts';
import { bestPeer, type Line, ratioOf, summarize } from '../summary.ts';
import type { Shape, System } from '../systems/system.ts';

/** Every round of one system in one shape. */
type Rounds = Readonly<Record<string, readonly number[]>>;

export interface QuickAnswer {
  readonly steadyRatio: number | undefined;
  readonly embeddedRatio: number | undefined;
  readonly singleRatio: number | undefined;
  readonly idleP50Ratio: number | undefined;
  readonly idleP99Ratio: number | undefined;
  readonly cpuRatio: number | undefined;
  /** Ratios are Signalbox to the best PostgreSQL peer; of these, less than 1 is better than the peer. */
  readonly lowerIsBetter: readonly string[];
  readonly bestPeers: Readonly<Record<string, string | undefined>>;
  readonly rounds: number;
  readonly isDisturbed: boolean;
  readonly seconds: number;
  readonly environment: Environment;
  readonly figures: Readonly<Record<string, Readonly<Record<string, Rounds>>>>;
}

export function quickAnswer(params: {
  measurements: readonly Measurement[];
  systems: readonly System[];
  environment: Environment;
  seconds: number;
}): QuickAnswer {
  const { measurements, systems, environment, seconds } = params;
  const lines = summarize(measurements.map(withCpuAsFigure));
  const of = (shape: Shape): readonly Line[] => lines.filter((line) => line.shape === shape);
  const line = (shape: Shape, system: string): Line | undefined =>
    of(shape).find((each) => each.system === system);
  const best = {
    steady: bestPeer(of('steady'), { figure: 'rate', better: 'higher' }, systems),
    single: bestPeer(of('single'), { figure: 'rate', better: 'higher' }, systems),
    idleP50: bestPeer(of('latency'), { figure: 'p50Ms', better: 'lower' }, systems),
    idleP99: bestPeer(of('latency'), { figure: 'p99Ms', better: 'lower' }, systems),
    cpu: bestPeer(of('steady'), { figure: CPU, better: 'lower' }, systems),
  };
  const steady = line('steady', 'signalbox');
  const idle = line('latency', 'signalbox');
  return {
    steadyRatio: rounded(ratioOf('rate', steady, best.steady)),
    embeddedRatio: rounded(ratioOf('rate', line('steady', 'signalbox-embedded'), best.steady)),
    singleRatio: rounded(ratioOf('rate', line('single', 'signalbox'), best.single)),
    idleP50Ratio: rounded(ratioOf('p50Ms', idle, best.idleP50)),
    idleP99Ratio: rounded(ratioOf('p99Ms', idle, best.idleP99)),
    cpuRatio: rounded(ratioOf(CPU, steady, best.cpu)),
    lowerIsBetter: ['idleP50Ratio', 'idleP99Ratio', 'cpuRatio'],
    bestPeers: Object.fromEntries(
      Object.entries(best).map(([shape, peer]) => [shape, peer?.system]),
    ),
    rounds: Math.max(...measurements.map(({ round }) => round + 1)),
    isDisturbed: measurements.some((each) => each.isDisturbed),
    seconds: Math.round(seconds),
    environment,
    figures: figuresOf(measurements.map(withCpuAsFigure)),
  };
}

const CPU = 'cpuSecondsPer10k';

function withCpuAsFigure(measurement: Measurement): Measurement {
  const { cpuSecondsPer10k } = measurement.cost;
  if (cpuSecondsPer10k === null) return measurement;
  return { ...measurement, figures: { ...measurement.figures, [CPU]: cpuSecondsPer10k } };
}

function figuresOf(measurements: readonly Measurement[]): QuickAnswer['figures'] {
  const found: Record<string, Record<string, Record<string, number[]>>> = {};
  for (const { system, shape, figures } of measurements) {
    found[system] ??= {};
    const shapes = found[system];
    shapes[shape] ??= {};
    const rounds = shapes[shape];
    for (const [name, value] of Object.entries(figures)) {
      rounds[name] ??= [];
      rounds[name].push(Math.round(value * 100) / 100);
    }
  }
  return found;
}

function rounded(ratio: number | undefined): number | undefined {
  return ratio === undefined ? undefined : Math.round(ratio * 1_000) / 1_000;
}
