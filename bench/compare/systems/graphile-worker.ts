import { peerVersion, requirePeer } from '../../peers/peer-modules.ts';
import type { GraphileConfig } from '../parts/graphile-worker.ts';
import { apart } from './part-command.ts';
import { queryNumber } from './query.ts';
import type { System, Tuning } from './system.ts';

type Settings = GraphileConfig['worker'];

/** Fetches into a local queue and reports ends in batches: what drains fastest. */
const batching: Settings = {
  concurrentJobs: 24,
  maxPoolSize: 25,
  localQueue: { size: 2_000 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};

/** Gathers for a quarter of a second: fewer, larger transactions while tasks trickle in. */
const gathering: Settings = {
  concurrentJobs: 24,
  maxPoolSize: 25,
  localQueue: { size: 500, refetchDelay: { durationMs: 250 } },
  completeJobBatchDelay: 250,
  failJobBatchDelay: 250,
};

/** Every task is fetched when its notification comes. */
const prompt: Settings = { concurrentJobs: 4, maxPoolSize: 10 };

const tuned = (worker: Settings, batch: number, inflight: number): Tuning => ({
  config: { worker },
  load: { batch, inflight, cap: 20_000 },
});

/** Twice the tasks in a call cost a tenth less processor time for each. */
const plain = tuned(batching, 2_000, 1);
/**
 * A fetch gives one task of each queue, so that the next one has to follow at once instead of when the
 * default of two seconds is over.
 */
const queued: Settings = { ...batching, localQueue: { size: 400 }, pollInterval: 5 };
const named: Tuning = { ...plain, config: { worker: queued, hasQueues: true } };

export const graphileWorker: System = {
  name: 'graphile-worker',
  store: 'postgres',
  isPeer: true,
  words:
    'a local queue of 2,000 and batched completions; for single tasks 500 and 250 ms, for named queues 400 and a look every 5 ms',
  tunings: {
    steady: plain,
    drain: plain,
    backlog: plain,
    history: plain,
    pipeline: { ...plain, instead: 'single tasks: it has no graphs' },
    tenants: { ...named, instead: 'named queues: one at a time in each' },
    cron: plain,
    single: { ...tuned(gathering, 1, 16), load: { batch: 1, inflight: 16, cap: 5_000 } },
    submit: tuned(prompt, 1_000, 2),
    latency: tuned(prompt, 1, 1),
    idle: plain,
  },
  version: () => peerVersion('graphile-worker'),
  provide: async ({ config }, servers) => {
    const postgres = await servers.postgres();
    const { url, drop } = await postgres.database('graphile-worker', migrate);
    const count = (): Promise<number> =>
      queryNumber(url, 'select count(*) from graphile_worker._private_jobs');
    return {
      commands: apart('graphile-worker', { ...config, url }),
      processes: { postgres: postgres.pid },
      databaseUrl: url,
      left: count,
      leftDurably: count,
      analyze: async () => void (await queryNumber(url, 'analyze graphile_worker._private_jobs')),
      close: drop,
    };
  },
};

/** What it reaches where nothing is limited, for the shape that is about limits: it has none but one. */
export const graphileWorkerPlain: System = {
  ...graphileWorker,
  name: 'graphile-worker-plain',
  words: 'as graphile-worker, without queues, beside tenants with limits',
  tunings: { tenants: { ...plain, instead: 'single tasks, no limits' } },
};

async function migrate(url: string): Promise<void> {
  const { runMigrations, Logger } = requirePeer<{
    Logger: new (factory: () => () => void) => object;
    runMigrations(options: object): Promise<void>;
  }>('graphile-worker');
  await runMigrations({ connectionString: url, logger: new Logger(() => () => {}) });
}
