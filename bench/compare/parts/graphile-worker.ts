import { requirePeer } from '../../peers/peer-modules.ts';
import type { Payload } from '../part/payload.ts';
import { type Part, runPart } from '../part/run-part.ts';

export interface GraphileConfig {
  readonly url: string;
  /** Puts each task into the queue of its customer, in which one runs at a time. */
  readonly hasQueues?: boolean;
  readonly worker: {
    readonly concurrentJobs: number;
    readonly maxPoolSize: number;
    readonly pollInterval?: number;
    readonly localQueue?: { size: number; refetchDelay?: { durationMs: number } };
    readonly completeJobBatchDelay?: number;
    readonly failJobBatchDelay?: number;
  };
}

interface JobSpec {
  readonly identifier: string;
  readonly payload: unknown;
  readonly queueName?: string;
}

interface WorkerUtils {
  addJob(identifier: string, payload: unknown): Promise<unknown>;
  addJobs(jobs: readonly JobSpec[]): Promise<unknown>;
  release(): Promise<void>;
}

interface GraphileModule {
  readonly Logger: new (factory: () => () => void) => object;
  parseCronItems(items: readonly object[]): unknown[];
  makeWorkerUtils(options: object): Promise<WorkerUtils>;
  run(options: object): Promise<{ stop(): Promise<void> }>;
}

interface Emitter {
  on(event: 'error', listener: (error: Error) => void): void;
}

interface Pool extends Emitter {
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'connect', listener: (client: Emitter) => void): void;
  end(): Promise<void>;
}

const IDENTIFIER = 'measured';
const PRODUCER_CONNECTIONS = 16;

/** It takes its schedules when its worker starts. */
let cronItems: readonly object[] = [];

const part: Part<GraphileConfig> = {
  produce: async ({ url, hasQueues = false }) => {
    const graphile = requirePeer<GraphileModule>('graphile-worker');
    const pg = requirePeer<{ Pool: new (options: object) => Pool }>('pg');
    const pgPool = new pg.Pool({ connectionString: url, max: PRODUCER_CONNECTIONS });
    pgPool.on('error', complain);
    pgPool.on('connect', (client) => client.on('error', complain));
    const utils = await graphile.makeWorkerUtils({ pgPool, logger: silent(graphile) });
    return {
      submit: (data) => utils.addJob(IDENTIFIER, data),
      submitBatch: (batch) =>
        utils.addJobs(
          batch.map((data) => ({
            identifier: IDENTIFIER,
            payload: data,
            ...(hasQueues && { queueName: data.customer }),
          })),
        ),
      close: async () => {
        await utils.release();
        await pgPool.end();
      },
    };
  },
  schedule: async (_config, { cron, payloads }) => {
    cronItems = payloads.map((payload) => ({
      task: IDENTIFIER,
      match: cron,
      identifier: `s${payload.id}`,
      payload,
    }));
  },
  work: async ({ url, worker }, onTask) => {
    // It writes a line for every job that ends well unless the environment says otherwise.
    process.env['NO_LOG_SUCCESS'] = '1';
    const graphile = requirePeer<GraphileModule>('graphile-worker');
    const runner = await graphile.run({
      preset: { worker: { connectionString: url, crontabFile: '', ...worker } },
      logger: silent(graphile),
      noHandleSignals: true,
      parsedCronItems: graphile.parseCronItems(cronItems),
      taskList: { [IDENTIFIER]: async (data: Payload) => onTask(data) },
    });
    return { close: () => runner.stop() };
  },
};

function complain(error: Error): void {
  process.stderr.write(`${error.stack}\n`);
}

function silent({ Logger }: GraphileModule): object {
  return new Logger(() => () => {});
}

await runPart(part);
