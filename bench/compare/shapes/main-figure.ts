import type { Better } from '../summary.ts';
import type { Shape } from '../systems/system.ts';

export interface MainFigure {
  readonly figure: string;
  readonly better: Better;
  /** What it is, for people. */
  readonly words: string;
  /** What the shape is, for people. */
  readonly title: string;
  /** Further figures of its table, by the words above their columns. */
  readonly others: Readonly<Record<string, string>>;
}

/** The figure of each shape that systems are compared by. */
export const MAIN_FIGURES: Readonly<Record<Shape, MainFigure>> = {
  steady: {
    figure: 'rate',
    better: 'higher',
    words: 'tasks/s',
    title: 'Steady state: producer and worker at once, in batches',
    others: {},
  },
  single: {
    figure: 'rate',
    better: 'higher',
    words: 'tasks/s',
    title: 'Steady state: one by one, 16 submissions in flight',
    others: { 'with 256 in flight': 'rate256' },
  },
  pipeline: {
    figure: 'rate',
    better: 'higher',
    words: 'tasks/s',
    title: 'Runs of 20 tasks: one, then 16 at once, a join, two more',
    others: {},
  },
  tenants: {
    figure: 'rate',
    better: 'higher',
    words: 'tasks/s',
    title: 'Steady state of 200 tenants, each with a limit of its own',
    others: {},
  },
  submit: {
    figure: 'rate16',
    better: 'higher',
    words: 'tasks/s, 16 in flight',
    title: 'Submitting alone',
    others: {
      '1 in flight': 'rate1',
      '64 in flight': 'rate64',
      '256 in flight': 'rate256',
      'batches of 1,000': 'rateBatch',
      'answer p50, ms': 'ackP50Ms16',
      'answer p99, ms': 'ackP99Ms16',
    },
  },
  drain: {
    figure: 'rate',
    better: 'higher',
    words: 'tasks/s',
    title: 'Drain of what waits',
    others: {},
  },
  latency: {
    figure: 'p50Ms',
    better: 'lower',
    words: 'p50, ms',
    title: 'Idle: from the call of submit to the first line of the handler',
    others: { 'p99, ms': 'p99Ms', 'answer p50, ms': 'ackP50Ms', 'answer p99, ms': 'ackP99Ms' },
  },
  cron: {
    figure: 'lastMs',
    better: 'lower',
    words: 'last handler after, ms',
    title: 'A storm of schedules: from the due time to the first line of the last handler',
    others: { 'first after, ms': 'firstMs', 'half of them after, ms': 'p50Ms' },
  },
  backlog: {
    figure: 'rate',
    better: 'higher',
    words: 'tasks/s',
    title: 'Drain in front of a backlog',
    others: {},
  },
  history: {
    figure: 'rate',
    better: 'higher',
    words: 'tasks/s',
    title: 'Steady state behind a history of ended tasks',
    others: { 'with an empty history': 'rateEmpty', ratio: 'ratioToEmpty', ended: 'ended' },
  },
  idle: {
    figure: 'cpuPercent',
    better: 'lower',
    words: 'processor time, %',
    title: 'Idle cost of everything',
    others: { 'of the node alone, %': 'nodeCpuPercent', 'transactions/s': 'queriesPerSecond' },
  },
};
