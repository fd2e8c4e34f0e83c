import type { Client, Reply } from './client.ts';
import type { Submitted, WorkInput } from './history.ts';
import type { System } from './system.ts';

/** A run as the product shows it after everything has come to rest. */
export interface DumpedRun {
  readonly id: string;
  readonly tenant: string;
  readonly job: string;
  readonly state: string;
  readonly submittedMs: number;
  readonly endedMs: number;
  readonly trigger: string;
  /** Started by a task of another run. */
  readonly isNested: boolean;
  /** The window of its schedule, or null. */
  readonly window: number | null;
  /** Which submission its input came from; a nested or retried run shares it with another. */
  readonly submission: string | null;
  readonly tasks: readonly {
    readonly state: string;
    readonly attempts: readonly DumpedAttempt[];
  }[];
  readonly outputNonce: string | null;
}

export interface DumpedAttempt {
  readonly id: string;
  readonly worker: string;
  readonly endedAt: string | null;
  readonly outcome: string | null;
}

/** A worker as one node shows it. */
export interface DumpedWorker {
  readonly node: string;
  readonly name: string;
  readonly status: string;
  readonly attempts: number;
  readonly slots: number;
  readonly freeSlots: number;
}

export interface Window {
  readonly at: number;
  readonly state: string;
}

export interface Dump {
  readonly runs: readonly DumpedRun[];
  /** What each acknowledged id leads to; undefined where it leads nowhere. */
  readonly resolved: ReadonlyMap<Submitted, string | undefined>;
  readonly windows: readonly Window[];
}

interface RunBody {
  readonly id: string;
  readonly job: string;
  readonly state: string;
  readonly submittedAt: string;
  readonly endedAt: string | null;
  readonly trigger?: { readonly kind: string };
  readonly window?: { readonly at: string };
  readonly nestedIn?: unknown;
  readonly tasks: DumpedRun['tasks'];
  readonly output?: { readonly nonce?: string };
}

/** Everything is healed by now: any answer but the data is a failure of the test. */
async function read<T>(from: Client | readonly Client[], tenant: string, path: string): Promise<T> {
  const { status, body } = await askAny([from].flat(), tenant, path);
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
  return body as T;
}

/** Another node may be the owner: asks one after the other. */
async function askAny(clients: readonly Client[], tenant: string, path: string): Promise<Reply> {
  const until = Date.now() + 60_000;
  for (let i = 0; ; i++) {
    const client = clients[i % clients.length] as Client;
    const reply = await client.request('GET', path, { tenant });
    const isPassing = reply.status === 0 || reply.status === 429 || reply.status === 503;
    if (!isPassing || Date.now() > until) return reply;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Every worker as every node shows it. */
export async function readWorkers(system: System): Promise<DumpedWorker[]> {
  const all: DumpedWorker[] = [];
  for (const [i, client] of system.clients.entries()) {
    const node = system.nodes[i]?.name ?? '';
    for (const { name } of system.workers) {
      const path = `/workers/${name}`;
      const { status, body } = await client.sure('GET', path, { tenant: 'default' });
      const worker = body as WorkerBody;
      if (status !== 200) all.push({ node, name, ...NOT_ATTACHED });
      else {
        const { attempts, total, free } = worker;
        const slots = { slots: total.slots, freeSlots: free.slots };
        all.push({ node, name, status: worker.status, attempts, ...slots });
      }
    }
  }
  return all;
}

const NOT_ATTACHED = { status: 'not attached', attempts: 0, slots: 0, freeSlots: 0 };

interface WorkerBody {
  readonly status: string;
  readonly attempts: number;
  readonly total: { readonly slots: number };
  readonly free: { readonly slots: number };
}

/** Ids of all runs of the tenant. */
export async function listRuns(
  client: Client,
  tenant: string,
): Promise<{ id: string; state: string }[]> {
  const runs: { id: string; state: string }[] = [];
  let cursor = '';
  for (;;) {
    const page = await read<{ items: { id: string; state: string }[]; next?: string }>(
      client,
      tenant,
      `/runs?limit=500${cursor}`,
    );
    runs.push(...page.items);
    if (page.next === undefined) return runs;
    cursor = `&cursor=${encodeURIComponent(page.next)}`;
  }
}

export async function readRun(client: Client, tenant: string, id: string): Promise<DumpedRun> {
  const run = await read<RunBody>(client, tenant, `/runs/${id}`);
  const input = await client.sure('GET', `/runs/${id}/input`, { tenant });
  const { submission = null } = (input.body ?? {}) as Partial<WorkInput>;
  return {
    id: run.id,
    tenant,
    job: run.job,
    state: run.state,
    submittedMs: Date.parse(run.submittedAt),
    endedMs: run.endedAt === null ? Number.POSITIVE_INFINITY : Date.parse(run.endedAt),
    trigger: run.trigger?.kind ?? '',
    isNested: run.nestedIn !== undefined,
    window: run.window === undefined ? null : Date.parse(run.window.at),
    submission,
    tasks: run.tasks,
    outputNonce: run.output?.nonce ?? null,
  };
}

/** Every window of the schedule that is not ahead, oldest first. Only the job's owner answers. */
export async function readWindows(
  clients: readonly Client[],
  tenant: string,
  { schedule, everyMs }: { schedule: string; everyMs: number },
): Promise<Window[]> {
  const windows: Window[] = [];
  let cursor = '';
  for (;;) {
    const path = `/schedules/${schedule}/timeline?limit=100${cursor}`;
    const page = await read<{
      items: { window: string; until?: string; state: string }[];
      next?: string;
    }>(clients, tenant, path);
    for (const { window, until, state } of page.items) {
      if (state === 'planned') continue;
      const last = Date.parse(until ?? window);
      for (let at = Date.parse(window); at <= last; at += everyMs) windows.push({ at, state });
    }
    if (page.next === undefined) break;
    cursor = `&after=${encodeURIComponent(page.next)}`;
  }
  return windows.sort((a, b) => a.at - b.at);
}
