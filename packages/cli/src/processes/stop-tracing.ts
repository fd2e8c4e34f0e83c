import type { Logger } from '@signalbox/node/log';
import type { WorkerTracing } from '@signalbox/node/tracing';

/** Sends what a worker has drawn. A collector that is away does not make the stop of the worker fail. */
export async function stopTracing(log: Logger, tracing: WorkerTracing): Promise<void> {
  await tracing.stop().catch((error: unknown) => {
    log.warn({ event: 'traces.failed', err: error }, 'traces not sent');
  });
}
