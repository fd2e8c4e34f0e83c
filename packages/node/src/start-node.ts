import type { Store } from '@signalbox/store';
import { assemble, type Rooms } from './assemble.ts';
import { assertStrongKey } from './auth/strong-key.ts';
import type { NodeContext } from './context/node-context.ts';
import type { Gateway } from './gateway/gateway.ts';
import { StartWatch } from './gateway/start-watch.ts';
import type { HttpOptions, NodeOptions } from './node-options.ts';
import { isShared, openStore } from './open-store.ts';
import { TenantWatch } from './operations/tenants/tenant-watch.ts';
import { type RetentionClocks, readJournalTime } from './retention/clocks.ts';
import { DEFAULT_RETENTION, startRetention } from './retention/retention.ts';
import { assertPrivateListener } from './settings/listener.ts';
import { makeLog } from './settings/log.ts';

const TENANTS_EVERY_MS = 5_000;
const TRIGGERS_EVERY_MS = 1_000;

export interface RunningNode {
  readonly context: NodeContext;
  readonly gateway: Gateway;
  /** Where the API is; null without HTTP. */
  readonly url: string | null;
  /**
   * Resolves when the node can serve: it has read its partitions, and the others have owners. A node can serve
   * without partitions. Rejects with the reason where it cannot go on.
   */
  ready(): Promise<void>;
  /** Lets everything go in good order. The same promise for every call. */
  stop(): Promise<void>;
}

/** Opens the store, puts a node together on it, and starts it. */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  if (options.http !== false) {
    assertStrongKey(options.rootKey ?? '');
    assertPrivateListener(options.http);
  }
  const store = await openStore(options.store);
  try {
    await store.migrate();
  } catch (error) {
    await store.close().catch(() => {});
    throw error;
  }
  return startNodeOn(store, options);
}

/** On a store that is open and up to date: a memory store lives as long as its object. */
export async function startNodeOn(store: Store, options: NodeOptions): Promise<RunningNode> {
  const log = options.log ?? makeLog({ level: 'warn', format: 'json' });
  const rooms = await assemble(options, store, log);
  try {
    return await start(options, rooms);
  } catch (error) {
    // A port that is taken must not leave a node behind that holds its leases.
    await stop(rooms, null).catch(() => {});
    throw error;
  }
}

async function start(options: NodeOptions, rooms: Rooms): Promise<RunningNode> {
  const { context, gateway, loop, ready } = rooms;
  const { store, log } = context;
  const { watch: triggers, subscriptions } = context.triggers;
  await Promise.all([triggers.poll(), subscriptions.poll()]);
  const journal = await readJournalTime(store, performance.now());
  await loop.start();
  const tenants = new TenantWatch({ store, loop, log });
  await tenants.poll();
  const server = options.http === false ? null : await listen(options, rooms);
  // Only a store that other nodes share can change behind our back.
  if (isShared(options.store)) {
    tenants.start(TENANTS_EVERY_MS);
    triggers.start(TRIGGERS_EVERY_MS);
    subscriptions.start(TRIGGERS_EVERY_MS);
  }
  const stopSweeping = sweepFor(options, rooms, journal);
  const starts = watchStarts(rooms);
  let stopped: Promise<void> | null = null;
  return {
    context,
    gateway,
    url: server?.url ?? null,
    ready: async () => {
      await ready.wait();
      // Owned a step before it has been read in: until then the engine knows no live run of it.
      await loop.flushed();
      // It may have come to its end meanwhile.
      ready.throwIfFatal();
    },
    stop: () => {
      tenants.stop();
      triggers.stop();
      subscriptions.stop();
      stopSweeping();
      starts.stop();
      stopped ??= stop(rooms, server);
      return stopped;
    },
  };
}

function watchStarts({ context, loop }: Rooms): StartWatch {
  const { core } = loop.engine;
  const watch = new StartWatch({
    waiting: () => {
      let waiting = 0;
      for (const { queued } of core.activeTenants()) waiting += queued;
      return waiting;
    },
    started: () => core.assignments,
    alert: (silence) => {
      const fields = { event: 'dispatch.stalled', alert: true, ...silence } as const;
      context.log.warn(fields, 'tasks are ready, but no attempt starts');
    },
  });
  watch.start();
  return watch;
}

function sweepFor(
  { retention }: NodeOptions,
  { context, loop, metrics }: Rooms,
  journal: RetentionClocks['journal'],
): () => void {
  if (retention === false) return () => {};
  const { store, log } = context;
  const clocks: RetentionClocks = {
    calendarMs: () => Date.now(),
    serverMs: () => loop.time.now(),
    monotonicMs: () => performance.now(),
    journal,
  };
  return startRetention({
    store,
    settings: { ...DEFAULT_RETENTION, ...retention },
    clocks,
    blobs: { blobs: context.blobs, partitions: context.partitions },
    swept: (result) => {
      metrics.swept(result.kind);
      if (result.kind === 'swept') metrics.blobsCollected(result.blobs);
      if (result.kind === 'swept')
        log.info({ event: 'retention.swept', ...result }, 'old history deleted');
      else {
        log.warn({ event: 'retention.refused', ...result }, 'clocks differ, no history deleted');
      }
    },
    failed: (error) => {
      metrics.swept('failed');
      log.warn({ event: 'retention.failed', err: error }, 'old history not deleted');
    },
  });
}

/** From the outside in: nobody comes in any more, then what was decided becomes durable. */
async function stop(rooms: Rooms, server: { stop(): Promise<void> } | null): Promise<void> {
  const { context, gateway, graphs, loop, logs, metrics, ready, refusedReports, tracing } = rooms;
  await server?.stop();
  graphs.stop();
  await gateway.stop();
  await loop.stop();
  await logs.stop();
  await refusedReports.stop();
  metrics.stop();
  ready.stop();
  await tracing.stop().catch((error: unknown) => {
    context.log.warn({ event: 'traces.failed', err: error }, 'traces not sent');
  });
  await context.store.close();
}

/** The server is loaded only where there is one: an embedded node starts without it. */
async function listen(
  options: NodeOptions,
  { context, gateway, metrics, tracing }: Rooms,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { startServer } = await import('./api/server.ts');
  const http = options.http as HttpOptions;
  const rootKey = options.rootKey as string;
  return startServer({ ...http, context, gateway, metrics, tracing, rootKey });
}
