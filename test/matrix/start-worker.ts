import { Worker, webSocketTransport } from '@signalbox/worker';
import { type ApiWorld, ROOT_KEY } from '../../packages/node/src/api/testing/api-world.ts';
import type { TenantData } from './tenant-data.ts';

/** The worker named in requests about workers; it has room for every run of the matrix. */
export async function startWorker(world: ApiWorld, data: TenantData): Promise<Worker> {
  const worker = new Worker({
    name: 'matrix',
    transport: webSocketTransport({ url: world.url, key: ROOT_KEY }),
    total: { slots: 100, cpuMilli: 1_000, memoryMb: 1_000, gpu: 0, diskMb: 1_000 },
    handlers: data.handlers,
  });
  await worker.start();
  return worker;
}
