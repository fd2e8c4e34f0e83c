import { job, Signalbox } from 'signalbox';
import { Client } from '../../edge/client.ts';
import type { Payload } from '../part/payload.ts';
import type { Producer } from '../part/producing.ts';
import { type Part, runPart } from '../part/run-part.ts';

export type SignalboxConfig = {
  readonly concurrency: number;
} & (
  | { readonly mode: 'sdk' | 'http'; readonly url: string; readonly key: string }
  | { readonly mode: 'embedded'; readonly store: string; readonly dataDir: string }
);

const NAME = 'measured';

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
  await box.define([measured]);
  return {
    submit: (data) => box.submit(measured, data),
    submitBatch: (batch) =>
      box.submitMany(
        measured,
        batch.map((input) => ({ input })),
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
  produce: (config) => (config.mode === 'http' ? throughHttp(config) : throughSdk(config)),
  work: async (config, onTask) => {
    const box = await open(config);
    const counting = job(NAME, async (data: Payload) => onTask(data));
    const { concurrency } = config;
    const worker = await box.work([counting], { concurrency });
    return { close: () => worker.stop() };
  },
};

await runPart(part);
