import type { Handler, HandlerContext } from '../executors/handler/handler.ts';
import { Worker } from '../worker.ts';
import type { WorkerOptions } from '../worker-options.ts';
import { FakeNode } from './fake-node.ts';

const workers: Worker[] = [];

export function track(worker: Worker): Worker {
  workers.push(worker);
  return worker;
}

/** For `afterEach`. */
export async function stopWorkers(): Promise<void> {
  await Promise.all(workers.splice(0).map((worker) => worker.stop({ graceMs: 0 })));
}

/** A worker with one handler, `invoice`, attached to a fake node. */
export async function startWorker(
  handler: Handler,
  more: Partial<WorkerOptions> = {},
): Promise<{ node: FakeNode; worker: Worker }> {
  const node = new FakeNode();
  const handlers = { invoice: handler };
  const worker = new Worker({ transport: node.transport, name: 'w1', handlers, ...more });
  await track(worker).start();
  return { node, worker };
}

/** A handler that runs until it is let go, and says when it began. */
export function gate() {
  const begun = Promise.withResolvers<HandlerContext>();
  const open = Promise.withResolvers<unknown>();
  const handler: Handler = (_input, context) => {
    begun.resolve(context);
    return open.promise;
  };
  return { begun: begun.promise, open: (value?: unknown) => open.resolve(value), handler };
}

/** Runs until its signal fires, then throws as `fetch` would. */
export const obedient: Handler = (_input, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`stopped: ${signal.reason}`)));
  });
