import { measureBacklog } from './backlog.ts';
import { measureCron } from './cron.ts';
import { measureEngineLives } from './engine-lives.ts';
import { measureGraphs } from './graphs.ts';
import { measurePlacement } from './placement.ts';
import { measureSchedules } from './schedules.ts';
import { measureTakeOver } from './take-over.ts';
import { measurePostgres, measureSqlite } from './throughput.ts';

/** Every measurement by name. Each runs in a process of its own, so that none warms or fills another. */
export const MEASUREMENTS: Readonly<Record<string, () => Promise<Record<string, number>>>> = {
  engine: async () => {
    const load = { workers: 1_000, tenants: 200, lives: 600_000, perStep: 500 };
    const { livesPerSecond } = measureEngineLives(load);
    return { livesPerSecond };
  },
  placement: async () => measurePlacement(),
  cron: async () => measureCron(),
  schedules: measureSchedules,
  graphs: measureGraphs,
  postgres: measurePostgres,
  sqlite: measureSqlite,
  takeover: measureTakeOver,
  'backlog-1m': () => measureBacklog({ waiting: 1_000_000, on: 'postgres' }),
  'backlog-10m': () => measureBacklog({ waiting: 10_000_000, on: 'postgres' }),
};

/** Run by default; the others take long and are asked for by name. */
export const USUAL = [
  'engine',
  'placement',
  'cron',
  'schedules',
  'graphs',
  'postgres',
  'sqlite',
  'takeover',
  'backlog-1m',
];

const [name] = process.argv.slice(2);
if (import.meta.main && name !== undefined) {
  const figures = await MEASUREMENTS[name]?.();
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  process.exit(0);
}
