import { type Job, Signalbox } from 'signalbox';
import { Client } from '../../edge/client.ts';
import type { Payload } from '../part/payload.ts';
import type { Producer } from '../part/producing.ts';

/** As so many clients would: each submission is of one tenant, and they take turns. */
export async function throughTenants(
  submitted: Job<Payload, unknown>,
  params: { url: string; key: string; count: number; runningMax: number },
): Promise<Producer> {
  const { url, key, count, runningMax } = params;
  const platform = new Client(url, key);
  const boxes = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const tenant = `tenant-${index}`;
      await platform.call('PUT', `/tenants/${tenant}`, { maxRunning: runningMax });
      const box = await Signalbox.connect(url, { key, tenant });
      await box.apply([submitted]);
      return box;
    }),
  );
  await platform.close();
  let turn = 0;
  const next = (): Signalbox => boxes[turn++ % count] as Signalbox;
  return {
    submit: (data) => next().submit(submitted, data),
    submitBatch: (batch) =>
      next().submitMany(
        submitted,
        batch.map((input) => ({ input })),
      ),
    close: () => Promise.all(boxes.map((box) => box.close())),
  };
}
