import { CLOSE } from '@signalbox/protocol';
import { httpBlobs, type WorkerEvent, webSocketTransport } from '@signalbox/worker';
import { SignalboxError } from '../errors.ts';
import { makeWorker } from '../make-worker.ts';
import type { WorkingWorker, WorkOn } from '../work-on.ts';

/** A worker of a node somewhere else: its frames travel over a WebSocket. */
export function remoteWorker(
  { url, key = '' }: { url: string; key?: string | undefined },
  params: WorkOn,
): Promise<WorkingWorker> {
  const refused = Promise.withResolvers<never>();
  const onEvent = (event: WorkerEvent): void => {
    if (event.kind !== 'link' || event.event.kind !== 'disconnected') return;
    const { code, reason } = event.event;
    if (code === CLOSE.unauthenticated || /\b401\b/.test(reason)) {
      refused.reject(new SignalboxError('unauthenticated', `the node refused the key: ${reason}`));
    } else if (code === CLOSE.forbidden || /\b403\b/.test(reason)) {
      refused.reject(new SignalboxError('forbidden', `the key may not run a worker: ${reason}`));
    }
  };
  refused.promise.catch(() => {});
  return makeWorker(params, {
    transport: webSocketTransport({ url, key }),
    blobs: httpBlobs({ url, key }),
    onEvent,
    refused: refused.promise,
  });
}
