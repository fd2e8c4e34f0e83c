import { bestPeer, type Line, ratioOf } from '../summary.ts';
import type { Shape, System } from '../systems/system.ts';

/** One of two marks that a figure may reach. */
interface Mark {
  readonly words: string;
  readonly isReached: (value: number, lookup: Lookup) => boolean;
}

export interface Target {
  readonly what: string;
  readonly must: Mark;
  readonly aim: Mark;
  readonly measured: (lookup: Lookup) => number | undefined;
  /** What stands behind the number. */
  readonly unit: string;
  /** Where the measured lines come from; a disturbed one disturbs the figure. */
  readonly shape: Shape;
  /** How much it was measured with, where that is not fixed. */
  readonly note?: (lookup: Lookup) => string;
}

/** Finds lines and ratios among what was measured. */
export class Lookup {
  readonly #lines: readonly Line[];
  readonly #systems: readonly System[];

  constructor(lines: readonly Line[], systems: readonly System[]) {
    this.#lines = lines;
    this.#systems = systems;
  }

  isDisturbed(shape: Shape): boolean {
    return this.#lines.some((line) => line.shape === shape && line.isDisturbed);
  }

  of(shape: Shape, system: string): readonly Line[] {
    return this.#lines.filter((line) => line.shape === shape && line.system === system);
  }

  /** Of a shape that was measured in several sizes, which come in their order. */
  largest(shape: Shape, system: string): Line | undefined {
    return this.of(shape, system).at(-1);
  }

  median(shape: Shape, system: string, figure: string): number | undefined {
    return this.of(shape, system)[0]?.figures[figure]?.median;
  }

  /** To the best peer on PostgreSQL. */
  ratio(shape: Shape, system: string, figure = 'rate'): number | undefined {
    const better = figure === 'rate' ? 'higher' : 'lower';
    const lines = this.#lines.filter((line) => line.shape === shape);
    return ratioOf(
      figure,
      this.of(shape, system)[0],
      bestPeer(lines, { figure, better }, this.#systems),
    );
  }

  ratioTo(peer: string, shape: Shape, figure: string): number | undefined {
    return ratioOf(figure, this.of(shape, 'signalbox')[0], this.of(shape, peer)[0]);
  }

  /** Processor time per task in steady state, to the peer on PostgreSQL that needs least. */
  cpuRatio(system: string): number | undefined {
    const own = this.of('steady', system)[0]?.cpuSecondsPer10k?.median;
    const peers = this.#systems.filter(({ isPeer, store }) => isPeer && store === 'postgres');
    const least = Math.min(
      ...peers.flatMap(({ name }) => this.of('steady', name)[0]?.cpuSecondsPer10k?.median ?? []),
    );
    return own === undefined || !Number.isFinite(least) ? undefined : own / least;
  }

  /** The rate in front of the largest backlog, relative to that of the smallest. */
  backlogRatio(system: string): number | undefined {
    const lines = this.of('backlog', system);
    return lines.length < 2 ? undefined : ratioOf('rate', lines.at(-1), lines[0]);
  }
}

const atLeast = (least: number, words = `${least}×`): Mark => ({
  words,
  isReached: (value) => value >= least,
});
const atMost = (most: number, words: string): Mark => ({
  words,
  isReached: (value) => value <= most,
});

/** Whether the same figure is no worse than that of BullMQ, which promises less. */
const notBehindBullmq = (shape: Shape, figure: string): Mark => ({
  words: 'not behind BullMQ on Redis',
  isReached: (_value, lookup) => {
    const ratio = lookup.ratioTo('bullmq', shape, figure);
    return ratio !== undefined && (figure === 'rate' ? ratio >= 1 : ratio <= 1);
  },
});

/** Ratios are to the best peer on PostgreSQL in the same run, unless something else is said. */
export const TARGETS: readonly Target[] = [
  {
    what: 'Steady state over the API, worker in its own process',
    must: atLeast(2),
    aim: atLeast(3),
    measured: (lookup) => lookup.ratio('steady', 'signalbox'),
    shape: 'steady',
    unit: '×',
  },
  {
    what: 'Steady state embedded, worker in the process',
    must: atLeast(2.5),
    aim: atLeast(3.5),
    measured: (lookup) => lookup.ratio('steady', 'signalbox-embedded'),
    shape: 'steady',
    unit: '×',
  },
  {
    what: 'Processor time per task, all processes, relative to the most frugal peer',
    must: atMost(0.5, 'half'),
    aim: atMost(1 / 3, 'a third'),
    measured: (lookup) => lookup.cpuRatio('signalbox'),
    shape: 'steady',
    unit: '×',
  },
  {
    what: 'One by one through the SDK, 16 in flight, end to end',
    must: atLeast(3),
    aim: notBehindBullmq('single', 'rate'),
    measured: (lookup) => lookup.ratio('single', 'signalbox'),
    shape: 'single',
    unit: '×',
  },
  {
    what: 'One by one by plain HTTP, 16 in flight, end to end',
    must: atLeast(2.5),
    aim: atLeast(3),
    measured: (lookup) => lookup.ratio('single', 'signalbox-http'),
    shape: 'single',
    unit: '×',
  },
  {
    what: 'One by one through the SDK, 256 in flight',
    must: atLeast(15_000, '15,000/s'),
    aim: atLeast(28_000, '28,000/s'),
    measured: (lookup) => lookup.median('single', 'signalbox', 'rate256'),
    shape: 'single',
    unit: '/s',
  },
  {
    what: 'Drain of 100,000',
    must: atLeast(1.5),
    aim: atLeast(2),
    measured: (lookup) => lookup.ratio('drain', 'signalbox'),
    shape: 'drain',
    unit: '×',
  },
  ...(['p50', 'p99'] as const).map(
    (part): Target => ({
      what: `Submit to handler on an idle system, ${part}`,
      must: atMost(1, 'not behind'),
      aim: notBehindBullmq('latency', `${part}Ms`),
      measured: (lookup) => lookup.ratio('latency', 'signalbox', `${part}Ms`),
      shape: 'latency',
      unit: '×',
    }),
  ),
  {
    what: 'Runs of 20 tasks, in tasks/s, relative to single tasks of the best peer',
    must: atLeast(1),
    aim: atLeast(2),
    measured: (lookup) => lookup.ratio('pipeline', 'signalbox'),
    shape: 'pipeline',
    unit: '×',
  },
  {
    what: 'Drain in front of the largest backlog, relative to the smallest',
    must: atLeast(0.8, 'within 20 %'),
    aim: atLeast(0.95, 'within 5 %'),
    measured: (lookup) => lookup.backlogRatio('signalbox'),
    shape: 'backlog',
    note: (lookup) => lookup.largest('backlog', 'signalbox')?.label ?? '',
    unit: '×',
  },
  {
    what: 'Steady state behind a history, relative to an empty one',
    must: atLeast(0.95, 'within 5 %'),
    aim: atLeast(1, 'no difference'),
    measured: (lookup) => lookup.largest('history', 'signalbox')?.figures['ratioToEmpty']?.median,
    shape: 'history',
    note: (lookup) => lookup.largest('history', 'signalbox')?.label ?? '',
    unit: '×',
  },
  {
    what: 'Steady state on SQLite, embedded',
    must: atLeast(1),
    aim: atLeast(2),
    measured: (lookup) => lookup.ratio('steady', 'signalbox-sqlite-embedded'),
    shape: 'steady',
    unit: '×',
  },
  {
    what: 'Idle: transactions of a node and its worker',
    must: atMost(1, '< 1/s'),
    aim: atMost(0.5, '< 0.5/s'),
    measured: (lookup) => lookup.median('idle', 'signalbox', 'queriesPerSecond'),
    shape: 'idle',
    unit: '/s',
  },
  {
    what: 'Idle: processor time of a node',
    must: atMost(1, '< 1 %'),
    aim: atMost(0.5, '< 0.5 %'),
    measured: (lookup) => lookup.median('idle', 'signalbox', 'nodeCpuPercent'),
    shape: 'idle',
    unit: ' %',
  },
];
