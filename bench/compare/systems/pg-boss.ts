import { peerVersion, requirePeer } from '../../peers/peer-modules.ts';
import type { PgBossConfig } from '../parts/pg-boss.ts';
import { apart } from './part-command.ts';
import { queryNumber } from './query.ts';
import type { System, Tuning } from './system.ts';

type Config = Omit<PgBossConfig, 'url'>;

const polling = (batchSize: number, localConcurrency: number): Config => ({
  work: { batchSize, localConcurrency, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true },
});

/** It looks twice a second at most unless batches are full: enough has to wait that they are. */
const tuned = (config: Config, batch: number, inflight: number): Tuning => ({
  config,
  load: { batch, inflight, cap: 20_000 },
});

/** A limit for each customer; the workers of one process keep it in memory. */
const grouped: Config = {
  hasGroups: true,
  work: { ...polling(500, 10).work, localGroupConcurrency: 10 },
};

const flows: Config = { ...polling(500, 2), isFlow: true };

/** As often as it may look for what is due, and for what it then has to send. */
const punctual: Config = {
  ...polling(500, 2),
  clock: { cronMonitorIntervalSeconds: 1, cronWorkerIntervalSeconds: 1 },
};

const notified: Config = { ...polling(100, 2), useListenNotify: true };

export const pgBoss: System = {
  name: 'pg-boss',
  store: 'postgres',
  isPeer: true,
  words:
    'a partitioned queue, batches of 500 to 2,000, bursts while they are full; LISTEN/NOTIFY where latency is measured, groups with a limit for tenants, its clock at a second for schedules',
  tunings: {
    steady: tuned(polling(500, 2), 500, 1),
    single: { config: polling(1_000, 1), load: { batch: 1, inflight: 16, cap: 5_000 } },
    pipeline: {
      config: flows,
      load: { batch: 500, inflight: 2, cap: 20_000 },
      instead: 'flows, resolved without waiting for its clock',
    },
    tenants: tuned(grouped, 500, 1),
    cron: tuned(punctual, 500, 1),
    drain: tuned(polling(2_000, 2), 1_000, 1),
    backlog: tuned(polling(2_000, 2), 1_000, 1),
    history: tuned(polling(500, 2), 500, 1),
    submit: tuned(polling(500, 2), 1_000, 2),
    latency: tuned(notified, 1, 1),
    idle: tuned(polling(500, 2), 500, 1),
  },
  version: () => peerVersion('pg-boss'),
  provide: async ({ config }, servers) => {
    const postgres = await servers.postgres();
    const notify = (config as Config).useListenNotify === true;
    const template = notify ? 'pg-boss notified' : 'pg-boss';
    const { url, drop } = await postgres.database(template, (each) => createQueue(each, notify));
    const left = (): Promise<number> =>
      queryNumber(url, `select count(*) from pgboss.job where state < 'completed'`);
    return {
      commands: apart('pg-boss', { ...config, url }),
      processes: { postgres: postgres.pid },
      databaseUrl: url,
      left,
      leftDurably: left,
      analyze: async () => void (await queryNumber(url, 'analyze pgboss.job')),
      close: drop,
    };
  },
};

interface PgBoss {
  start(): Promise<unknown>;
  createQueue(name: string, options: object): Promise<void>;
  stop(options: object): Promise<void>;
}

async function createQueue(connectionString: string, notify: boolean): Promise<void> {
  const { PgBoss } = requirePeer<{ PgBoss: new (options: object) => PgBoss }>('pg-boss');
  const boss = new PgBoss({
    connectionString,
    supervise: false,
    schedule: false,
    registerInstance: false,
  });
  await boss.start();
  await boss.createQueue('measured', { notify, partition: !notify });
  await boss.stop({ graceful: false });
}
