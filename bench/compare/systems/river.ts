import { spawnSync } from 'node:child_process';
import { buildGoModule, goModuleVersion, goProgram } from '../../peers/go-programs.ts';
import type { Role } from '../part-protocol.ts';
import { queryNumber } from './query.ts';
import type { Load, System, Tuning } from './system.ts';

const MODULE = 'river';

interface RiverConfig {
  readonly connections: number;
  /** Tasks at once, and with it how many are fetched at once. */
  readonly maxWorkers: number;
  /** The least time between two fetches, and between two notifications of a producer. */
  readonly fetchCooldownMs: number;
  /** How often it looks without having been notified. */
  readonly fetchPollMs: number;
}

const tuned = (load: Load, config: Partial<RiverConfig> = {}): Tuning => ({
  config: { connections: 20, maxWorkers: 5_000, fetchCooldownMs: 1, fetchPollMs: 1_000, ...config },
  load,
});

const batches: Load = { batch: 500, inflight: 4, cap: 10_000 };
const ones: Load = { batch: 1, inflight: 16, cap: 5_000 };

/** Ends gather for up to a quarter of a second anyway, so that fetching less often costs nothing. */
const gathering = { fetchCooldownMs: 50 };

export const river: System = {
  name: 'river',
  store: 'postgres',
  isPeer: true,
  words:
    'in Go; COPY for batches, 5,000 tasks at once, LISTEN/NOTIFY, a fetch cooldown of 1 ms, 50 ms for single tasks',
  tunings: {
    steady: tuned(batches),
    single: tuned(ones, gathering),
    pipeline: { ...tuned(batches), instead: 'single tasks: it has no graphs' },
    tenants: { ...tuned(batches), instead: 'single tasks, no limits' },
    drain: tuned({ ...batches, batch: 1_000 }),
    backlog: tuned({ ...batches, batch: 1_000 }),
    history: tuned(batches),
    submit: tuned({ ...batches, batch: 1_000, inflight: 2 }),
    latency: tuned(ones),
    idle: tuned(batches),
  },
  version: () => goModuleVersion(MODULE, 'github.com/riverqueue/river'),
  missing: () => buildGoModule(MODULE),
  provide: async ({ config }, servers) => {
    const postgres = await servers.postgres();
    const { url, drop } = await postgres.database('river', async (each) => migrate(config, each));
    const left = (): Promise<number> =>
      queryNumber(
        url,
        `select count(*) from river_job
         where state in ('available', 'pending', 'retryable', 'running', 'scheduled')`,
      );
    const command = (role: Role) => [goProgram(MODULE), role, JSON.stringify({ ...config, url })];
    return {
      commands: { kind: 'apart', producer: command('producer'), worker: command('worker') },
      processes: { postgres: postgres.pid },
      databaseUrl: url,
      left,
      leftDurably: left,
      analyze: async () => void (await queryNumber(url, 'analyze river_job')),
      close: drop,
    };
  },
};

function migrate(config: object, url: string): void {
  const args = ['migrate', JSON.stringify({ ...config, url })];
  const { status, stderr } = spawnSync(goProgram(MODULE), args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`river cannot prepare its database: ${stderr}`);
}
