import { peerVersion, requirePeer } from '../../peers/peer-modules.ts';
import { startRedis } from '../servers/comparison-redis.ts';
import { apart } from './part-command.ts';
import type { System, Tuning } from './system.ts';

const tuned = (batch: number, inflight: number): Tuning => ({
  config: { concurrency: 50 },
  load: { batch, inflight, cap: 5_000 },
});

interface Queue {
  getJobCounts(...states: readonly string[]): Promise<Record<string, number>>;
  close(): Promise<void>;
}

export const bullmq: System = {
  name: 'bullmq',
  store: 'redis',
  isPeer: true,
  words: 'on Redis with an append-only file synced every second: a crash may lose a second',
  tunings: {
    steady: tuned(500, 1),
    single: tuned(1, 16),
    pipeline: { ...tuned(500, 1), instead: 'single tasks: its flows are trees' },
    tenants: { ...tuned(500, 1), instead: 'single tasks, no limits' },
    cron: tuned(500, 1),
    drain: tuned(1_000, 1),
    submit: tuned(1_000, 2),
    latency: tuned(1, 1),
    idle: tuned(500, 1),
  },
  version: () => peerVersion('bullmq'),
  provide: async ({ config }, servers) => {
    const redis = await startRedis();
    const stop = servers.cleanup.add(() => redis.stop());
    const { Queue } = requirePeer<{ Queue: new (name: string, options: object) => Queue }>(
      'bullmq',
    );
    const connection = { host: '127.0.0.1', port: redis.port };
    const queue = new Queue('measured', { connection });
    const left = async (): Promise<number> => {
      // Nothing is delayed but what schedules have in store for tomorrow.
      const counts = await queue.getJobCounts('wait', 'active', 'prioritized');
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    };
    return {
      commands: apart('bullmq', { ...config, port: redis.port }),
      processes: { redis: redis.pid },
      left,
      leftDurably: left,
      close: async () => {
        await queue.close();
        await stop();
      },
    };
  },
};
