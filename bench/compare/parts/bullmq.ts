import { requirePeer } from '../../peers/peer-modules.ts';
import type { Payload } from '../part/payload.ts';
import { type Part, runPart } from '../part/run-part.ts';

export interface BullmqConfig {
  readonly port: number;
  readonly concurrency: number;
}

interface Queue {
  waitUntilReady(): Promise<unknown>;
  add(name: string, data: object): Promise<unknown>;
  addBulk(jobs: readonly { name: string; data: object }[]): Promise<unknown>;
  upsertJobScheduler(
    id: string,
    repeat: { pattern: string; tz: string },
    template: { name: string; data: object },
  ): Promise<unknown>;
  close(): Promise<void>;
}

interface Worker {
  on(event: 'error', listener: (error: Error) => void): void;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

interface BullmqModule {
  readonly Queue: new (name: string, options: object) => Queue;
  readonly Worker: new (
    name: string,
    handler: (job: { data: Payload }) => Promise<void>,
    options: object,
  ) => Worker;
}

const QUEUE = 'measured';
const NAME = 'task';

const part: Part<BullmqConfig> = {
  produce: async ({ port }) => {
    const bullmq = requirePeer<BullmqModule>('bullmq');
    const queue = new bullmq.Queue(QUEUE, { connection: { host: '127.0.0.1', port } });
    await queue.waitUntilReady();
    return {
      submit: (data) => queue.add(NAME, data),
      submitBatch: (batch) => queue.addBulk(batch.map((data) => ({ name: NAME, data }))),
      close: () => queue.close(),
    };
  },
  schedule: async ({ port }, { cron, payloads }) => {
    const bullmq = requirePeer<BullmqModule>('bullmq');
    const queue = new bullmq.Queue(QUEUE, { connection: { host: '127.0.0.1', port } });
    await Promise.all(
      payloads.map((data) =>
        queue.upsertJobScheduler(`s${data.id}`, { pattern: cron, tz: 'UTC' }, { name: NAME, data }),
      ),
    );
    await queue.close();
  },
  work: async ({ port, concurrency }, onTask) => {
    const bullmq = requirePeer<BullmqModule>('bullmq');
    const options = { connection: { host: '127.0.0.1', port }, concurrency };
    const worker = new bullmq.Worker(QUEUE, async ({ data }) => onTask(data), options);
    worker.on('error', (error) => process.stderr.write(`${error.stack}\n`));
    await worker.waitUntilReady();
    return { close: () => worker.close() };
  },
};

await runPart(part);
