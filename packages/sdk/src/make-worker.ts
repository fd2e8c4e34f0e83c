import { hostname } from 'node:os';
import type { WorkerTracing } from '@signalbox/node/tracing';
import { type Duration, parseDuration } from '@signalbox/protocol';
import {
  type Blobs,
  type Executor,
  type Handler,
  type HandlerModule,
  type Transport,
  Worker,
} from '@signalbox/worker';
import { turnedAway } from './turned-away.ts';
import { abortable } from './within-time.ts';
import type { WorkingWorker, WorkOn } from './work-on.ts';

let workerCount = 0;

export interface WorkerLink {
  readonly transport: Transport;
  readonly blobs: Blobs;
  /** Fires when the worker is not needed any more. */
  readonly closed: AbortSignal;
}

/**
 * A worker in this process. Resolves when a node has welcomed it, and rejects if all nodes reject it.
 */
export async function makeWorker(
  params: WorkOn,
  { closed, ...link }: WorkerLink,
): Promise<WorkingWorker> {
  const { concurrency, labels, zone, gracePeriod } = params;
  const name = params.name ?? freshName();
  const refused = Promise.withResolvers<never>();
  const tracing = await tracingFor(name);
  const worker = new Worker({
    ...link,
    name,
    onLinkEvent: (event) => {
      const error = turnedAway(event);
      if (error !== null) refused.reject(error);
    },
    ...(tracing.spans && { spans: tracing.spans }),
    ...(labels && { labels }),
    ...(zone !== undefined && { zone }),
    ...(concurrency !== undefined && { total: { slots: concurrency } }),
    handlers: Object.fromEntries(params.handlers) as Record<string, Handler | HandlerModule>,
    executors: await Promise.all((params.executors ?? []).map(executorOf)),
  });
  try {
    await abortable(Promise.race([worker.start(), refused.promise]), closed);
  } catch (error) {
    // It would try to connect for as long as the process lives, and keep it alive.
    await worker.stop({ graceMs: 0 });
    await tracing.stop().catch(() => {});
    throw error;
  } finally {
    // Once it has been welcomed, the worker tries again by itself.
    refused.promise.catch(() => {});
  }
  const stop = async (): Promise<void> => {
    await worker.stop(graceOf(gracePeriod));
    // A collector that is away does not make the stop fail.
    await tracing.stop().catch(() => {});
  };
  return { name, stop, [Symbol.asyncDispose]: stop };
}

/** A program that only attaches to nodes loads nothing of a node, unless it sends traces. */
async function tracingFor(worker: string): Promise<WorkerTracing> {
  const { env } = process;
  if (!env['OTEL_EXPORTER_OTLP_ENDPOINT'] && !env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']) {
    return { stop: async () => {} };
  }
  const { startWorkerTracing } = await import('@signalbox/node/tracing');
  return startWorkerTracing(env, worker);
}

function graceOf(gracePeriod: Duration | undefined): { graceMs?: number } {
  return gracePeriod === undefined ? {} : { graceMs: parseDuration(gracePeriod) };
}

/** Loaded only where it is asked for: most workers run handlers and nothing else. */
async function executorOf(executor: 'command' | 'http' | Executor): Promise<Executor> {
  if (typeof executor !== 'string') return executor;
  const { commandExecutor, EXPOSED, httpExecutor } = await import('@signalbox/worker');
  if (executor === 'http') return httpExecutor();
  const commands = commandExecutor({ allow: true });
  if (commands.isolation === 'none') {
    const message = 'commands are not isolated from this process';
    const detail = `they can reach: ${EXPOSED.none.join(', ')}`;
    process.emitWarning(message, { code: 'SIGNALBOX_COMMAND_NOT_ISOLATED', detail });
  }
  return commands;
}

/** Unique among the workers that a node may know: several may be in one process. */
function freshName(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '');
  workerCount++;
  return `${(host || 'worker').slice(0, 80)}-${process.pid}-${workerCount}`;
}
