import { requirePeer } from '../../peers/peer-modules.ts';
import type { Payload } from '../part/payload.ts';
import { type Part, runPart } from '../part/run-part.ts';

export interface PgBossConfig {
  readonly url: string;
  readonly useListenNotify?: boolean;
  readonly work: {
    readonly batchSize: number;
    readonly localConcurrency: number;
    readonly pollingIntervalSeconds: number;
    readonly burstWhenBatchFull?: boolean;
  };
}

interface PgBoss {
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  send(queue: string, data: object): Promise<unknown>;
  insert(queue: string, jobs: readonly { data: object }[]): Promise<unknown>;
  work(
    queue: string,
    options: object,
    handler: (jobs: readonly { data: Payload }[]) => Promise<void>,
  ): Promise<unknown>;
  stop(options: { graceful: boolean; close?: boolean }): Promise<void>;
}

const QUEUE = 'measured';
const PRODUCER_CONNECTIONS = 16;
const WORKER_CONNECTIONS = 10;

async function open(options: object): Promise<PgBoss> {
  const { PgBoss } = requirePeer<{ PgBoss: new (options: object) => PgBoss }>('pg-boss');
  const boss = new PgBoss(options);
  boss.on('error', (error) => process.stderr.write(`${error.stack}\n`));
  await boss.start();
  return boss;
}

const part: Part<PgBossConfig> = {
  produce: async ({ url }) => {
    const boss = await open({
      connectionString: url,
      max: PRODUCER_CONNECTIONS,
      // A client that only submits leaves maintenance to the worker.
      supervise: false,
      schedule: false,
      registerInstance: false,
      migrate: false,
    });
    return {
      submit: (data) => boss.send(QUEUE, data),
      submitBatch: (batch) =>
        boss.insert(
          QUEUE,
          batch.map((data) => ({ data })),
        ),
      close: () => boss.stop({ graceful: false }),
    };
  },
  work: async ({ url, useListenNotify = false, work }, onTask) => {
    const boss = await open({ connectionString: url, max: WORKER_CONNECTIONS, useListenNotify });
    await boss.work(QUEUE, work, async (jobs) => {
      for (const { data } of jobs) onTask(data);
    });
    return { close: () => boss.stop({ graceful: true }) };
  },
};

await runPart(part);
