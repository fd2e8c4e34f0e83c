import { httpBlobs, webSocketTransport } from '@signalbox/worker';
import { makeWorker } from '../make-worker.ts';
import type { WorkingWorker, WorkOn } from '../work-on.ts';

/** A worker of a node somewhere else: its frames travel over a WebSocket. */
export function remoteWorker(
  { url, key = '' }: { url: string; key?: string | undefined },
  params: WorkOn,
  closed: AbortSignal,
): Promise<WorkingWorker> {
  return makeWorker(params, {
    transport: webSocketTransport({ url, key }),
    blobs: httpBlobs({ url, key }),
    closed,
  });
}
