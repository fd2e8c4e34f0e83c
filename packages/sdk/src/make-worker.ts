import { hostname } from 'node:os';
import {
  type Blobs,
  type Executor,
  type Handler,
  type HandlerModule,
  type Transport,
  Worker,
  type WorkerEvent,
} from '@signalbox/worker';
import type { WorkingWorker, WorkOn } from './work-on.ts';

let made = 0;

export interface WorkerLink {
  readonly transport: Transport;
  readonly blobs: Blobs;
  readonly onEvent?: (event: WorkerEvent) => void;
  /** Rejects where no node will ever welcome it. */
  readonly refused?: Promise<never>;
}

/** A worker in this process, whatever carries its frames. Resolves when a node has welcomed it. */
export async function makeWorker(
  params: WorkOn,
  { refused, ...link }: WorkerLink,
): Promise<WorkingWorker> {
  const { concurrency, labels, zone, graceMs } = params;
  const name = params.name ?? freshName();
  const worker = new Worker({
    ...link,
    name,
    ...(labels && { labels }),
    ...(zone !== undefined && { zone }),
    ...(concurrency !== undefined && { total: { slots: concurrency } }),
    handlers: Object.fromEntries(params.handlers) as Record<string, Handler | HandlerModule>,
    executors: await Promise.all((params.executors ?? []).map(executorOf)),
  });
  try {
    await (refused === undefined ? worker.start() : Promise.race([worker.start(), refused]));
  } catch (error) {
    // It would knock for ever, and keep the process alive.
    await worker.stop({ graceMs: 0 });
    throw error;
  }
  return { name, stop: () => worker.stop(graceMs === undefined ? {} : { graceMs }) };
}

/** Loaded only where it is asked for: most workers run handlers and nothing else. */
async function executorOf(executor: 'command' | 'http' | Executor): Promise<Executor> {
  if (typeof executor !== 'string') return executor;
  const { commandExecutor, httpExecutor } = await import('@signalbox/worker');
  return executor === 'command' ? commandExecutor({ allow: true }) : httpExecutor();
}

/** Unique among the workers that a node may know: several may be in one process. */
function freshName(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '');
  made++;
  return `${(host || 'worker').slice(0, 80)}-${process.pid}-${made}`;
}
