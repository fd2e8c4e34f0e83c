import { type AnyJob, job, Signalbox } from 'signalbox';
import { Client } from '../../edge/client.ts';
import type { Payload } from '../part/payload.ts';
import type { Producer } from '../part/producing.ts';
import { type Part, runPart } from '../part/run-part.ts';
import { runsOfTwenty } from '../part/twenty-tasks.ts';
import { measuredPipeline } from './signalbox-pipeline.ts';
import { throughTenants } from './signalbox-tenants.ts';

export type SignalboxConfig = {
  readonly concurrency: number;
  /** Runs of twenty tasks instead of one. */
  readonly isPipeline?: boolean;
  /** Submits in the names of so many tenants, each of which may run so much at once. */
  readonly tenants?: { readonly count: number; readonly runningMax: number };
} & (
  | { readonly mode: 'sdk' | 'http'; readonly url: string; readonly key: string }
  | { readonly mode: 'embedded'; readonly store: string; readonly dataDir: string }
);

const NAME = 'measured';
const SCHEDULES_AT_ONCE = 16;

/** The producer submits by this; only a worker has the handler that counts. */
const measured = job(NAME, async (_data: Payload) => undefined);

let opened: Promise<Signalbox> | null = null;

/** One per process: where producer and worker share the process, they share the node in it. */
function open(config: SignalboxConfig): Promise<Signalbox> {
  opened ??=
    config.mode === 'embedded'
      ? Signalbox.open(config.store, { dataDir: config.dataDir })
      : Signalbox.connect(config.url, { key: config.key });
  return opened;
}

async function throughSdk(config: SignalboxConfig): Promise<Producer> {
  const box = await open(config);
  const { isPipeline = false } = config;
  const submitted = isPipeline ? measuredPipeline(NAME, () => {}) : measured;
  await box.apply([submitted]);
  return {
    submit: (data) => box.submit(submitted, data),
    submitBatch: (batch) =>
      box.submitMany(
        submitted,
        (isPipeline ? runsOfTwenty(batch) : batch).map((input) => ({ input })),
      ),
    close: () => box.close(),
  };
}

/** Without the SDK, which would send together what waits together: one request for each task. */
async function throughHttp({ url, key }: { url: string; key: string }): Promise<Producer> {
  const client = new Client(url, key);
  await client.call('PUT', `/jobs/${NAME}`, {});
  return {
    submit: (input) => client.call('POST', '/runs', { job: NAME, input }),
    submitBatch: (batch) =>
      client.call('POST', '/runs/batch', { items: batch.map((input) => ({ job: NAME, input })) }),
    close: () => client.close(),
  };
}

const part: Part<SignalboxConfig> = {
  produce: (config) => {
    if (config.mode === 'http') return throughHttp(config);
    if (config.mode === 'sdk' && config.tenants !== undefined) {
      return throughTenants(measured, { ...config, ...config.tenants });
    }
    return throughSdk(config);
  },
  schedule: async (config, { cron, payloads }) => {
    if (config.mode === 'embedded') throw new Error('schedules are made over HTTP');
    const client = new Client(config.url, config.key);
    await client.call('PUT', `/jobs/${NAME}`, {});
    const waiting = payloads.values();
    const lane = async (): Promise<void> => {
      for (const input of waiting) {
        await client.call('PUT', `/schedules/s${input.id}`, { job: NAME, cron, input });
      }
    };
    await Promise.all(Array.from({ length: SCHEDULES_AT_ONCE }, lane));
    await client.close();
  },
  left: async (config) => {
    const { runs } = await open(config);
    for (const state of ['PENDING', 'RUNNING'] as const) {
      const { items, next } = await runs.list({ state, limit: 1 });
      if (items.length > 0 || next !== undefined) return 1;
    }
    return 0;
  },
  work: async (config, onTask) => {
    const box = await open(config);
    const counting: AnyJob = config.isPipeline
      ? measuredPipeline(NAME, onTask)
      : job(NAME, async (data: Payload) => onTask(data));
    const { concurrency } = config;
    const worker = await box.work([counting], { concurrency });
    return { close: () => worker.stop() };
  },
};

await runPart(part);
