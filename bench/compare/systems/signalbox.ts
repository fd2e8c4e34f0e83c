import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '../../edge/client.ts';
import { Processes } from '../../edge/processes.ts';
import type { Servers } from '../servers/servers.ts';
import { leftInStore } from './left-in-store.ts';
import { apart, partCommand } from './part-command.ts';
import type { Load, Provided, System, Tuning } from './system.ts';

type StoreKind = 'postgres' | 'sqlite';

/** Attempts that a worker runs at once: as many as keep node and database busy at the same time. */
const CONCURRENCY = 2_000;

/** More that waits in the node only makes its garbage live longer. */
const batches: Load = { batch: 500, inflight: 4, cap: 6_000 };
const ones: Load = { batch: 1, inflight: 16, cap: 5_000 };
const tuned = (load: Load): Tuning => ({ config: { concurrency: CONCURRENCY }, load });

/** Runs of twenty tasks. */
const pipelines: Tuning = {
  config: { concurrency: CONCURRENCY, isPipeline: true },
  load: { ...batches, cap: 10_000 },
};

/** As much as a worker runs at once, in equal shares; every tenant has a submission waiting. */
const TENANTS = { count: 200, runningMax: 10 } as const;
const tenants: Tuning = {
  config: { concurrency: CONCURRENCY, tenants: TENANTS },
  load: { batch: 100, inflight: 8, cap: 20_000 },
};

const embeddedTunings = {
  steady: tuned(batches),
  single: tuned(ones),
  pipeline: pipelines,
  submit: tuned({ ...batches, batch: 1_000, inflight: 2 }),
  latency: tuned(ones),
  drain: tuned({ ...batches, batch: 1_000 }),
  backlog: tuned({ ...batches, batch: 1_000 }),
  history: tuned(batches),
  idle: tuned(batches),
} as const;

/** A node in the process works for one tenant, and its schedules are made over HTTP. */
const nodeTunings = { ...embeddedTunings, tenants, cron: tuned(batches) } as const;

const httpTunings = { single: tuned(ones), submit: tuned(ones), latency: tuned(ones) } as const;

const common = { isPeer: false, version: () => 'this checkout' } as const;

/** Producer, node and worker are a process each. */
function withNode(mode: 'sdk' | 'http', store: StoreKind) {
  return async ({ config }: Tuning, servers: Servers): Promise<Provided> => {
    const place = await openPlace(store, servers);
    const { url, child } = await place.startNode();
    const { key } = place.processes;
    const client = new Client(url, key);
    const server = place.postgresPid === undefined ? {} : { postgres: place.postgresPid };
    return {
      commands: apart('signalbox', { ...config, mode, url, key }),
      processes: { node: child.pid as number, ...server },
      ...(place.databaseUrl !== undefined && { databaseUrl: place.databaseUrl }),
      left: () => countLeft(client),
      leftDurably: async () => {
        await client.close();
        return place.leftDurably();
      },
      close: place.close,
    };
  };
}

/** Producer, node and worker are one process. */
function embedded(store: StoreKind) {
  return async ({ config }: Tuning, servers: Servers): Promise<Provided> => {
    const place = await openPlace(store, servers);
    const server = place.postgresPid === undefined ? {} : { postgres: place.postgresPid };
    const dataDir = place.processes.folder;
    const own = { ...config, mode: 'embedded', store: place.store, dataDir };
    return {
      commands: { kind: 'together', both: partCommand('signalbox', 'both', own) },
      processes: server,
      ...(place.databaseUrl !== undefined && { databaseUrl: place.databaseUrl }),
      leftDurably: place.leftDurably,
      close: place.close,
    };
  };
}

/** A store that nobody has used, and the means to start nodes on it. */
async function openPlace(kind: StoreKind, servers: Servers) {
  const processes = new Processes();
  const stop = servers.cleanup.add(() => processes.stop());
  const postgres = kind === 'postgres' ? await servers.postgres() : undefined;
  const database = await postgres?.database('signalbox', async () => {});
  const store = database?.url ?? `file:${processes.folder}/signalbox.sqlite`;
  let running: ChildProcess | null = null;
  const startNode = async (): Promise<{ url: string; child: ChildProcess }> => {
    const started = await processes.startNode(store);
    running = started.child;
    return started;
  };
  return {
    processes,
    store,
    startNode,
    databaseUrl: database?.url,
    postgresPid: postgres?.pid,
    leftDurably: async (): Promise<number> => {
      if (running !== null) await end(running);
      return leftInStore(store, processes.folder);
    },
    close: async (): Promise<void> => {
      await stop();
      await database?.drop();
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

interface Queues {
  readonly items: readonly { readonly queued: number; readonly running: number }[];
}

async function countLeft(client: Client): Promise<number> {
  const { items } = await client.call<Queues>('GET', '/queues');
  return items.reduce((sum, { queued, running }) => sum + queued + running, 0);
}

export const signalboxSystems: readonly System[] = [
  {
    ...common,
    name: 'signalbox',
    store: 'postgres',
    words: 'SDK over HTTP, node and worker in processes of their own',
    tunings: nodeTunings,
    provide: withNode('sdk', 'postgres'),
  },
  {
    ...common,
    name: 'signalbox-embedded',
    store: 'postgres',
    words: 'producer, node and worker in one process',
    tunings: embeddedTunings,
    provide: embedded('postgres'),
  },
  {
    ...common,
    name: 'signalbox-http',
    store: 'postgres',
    words: 'as signalbox, but one plain HTTP request for each submission',
    tunings: httpTunings,
    provide: withNode('http', 'postgres'),
  },
  {
    ...common,
    name: 'signalbox-sqlite',
    store: 'sqlite',
    words: 'as signalbox, on a SQLite file with synchronous=FULL',
    tunings: nodeTunings,
    provide: withNode('sdk', 'sqlite'),
  },
  {
    ...common,
    name: 'signalbox-sqlite-embedded',
    store: 'sqlite',
    words: 'one process on a SQLite file with synchronous=FULL',
    tunings: embeddedTunings,
    provide: embedded('sqlite'),
  },
];
