import type { Client } from './client.ts';
import {
  type Dump,
  type DumpedRun,
  type DumpedWorker,
  listRuns,
  readRun,
  readWindows,
  readWorkers,
} from './dump.ts';
import { type Submitted, TERMINAL } from './history.ts';
import { judgeWorkers } from './judges/workers.ts';
import type { ModelOptions } from './options.ts';
import { SCHEDULE, WINDOW_MS } from './schedule-actor.ts';
import type { System } from './system.ts';

const READS_AT_ONCE = 16;
const POLL_MS = 500;

/** Reads the product after everything is healed, through any node: each has to show the same. */
export class Reader {
  readonly #system: System;
  readonly #options: ModelOptions;
  readonly #submissions: readonly Submitted[];
  #next = 0;

  constructor(params: {
    system: System;
    options: ModelOptions;
    submissions: readonly Submitted[];
  }) {
    this.#system = params.system;
    this.#options = params.options;
    this.#submissions = params.submissions;
  }

  /** I18: waits until every submission is a run and every run has ended; says which have not. */
  async comeToRest(patienceMs: number): Promise<string[]> {
    const until = Date.now() + patienceMs;
    for (;;) {
      const open: string[] = [];
      const known = new Set<string>();
      for (const tenant of this.#options.tenants) {
        for (const { id, state } of await listRuns(this.#client(), tenant)) {
          known.add(id);
          if (!TERMINAL.has(state)) open.push(`run ${id} of ${tenant} is still ${state}`);
        }
      }
      if (open.length === 0) open.push(...(await this.#waitingAliases(known)));
      if (open.length === 0 || Date.now() > until) return open;
      await pause(POLL_MS);
    }
  }

  async readAll(): Promise<Dump> {
    const runs: DumpedRun[] = [];
    for (const tenant of this.#options.tenants) {
      const ids = (await listRuns(this.#client(), tenant)).map(({ id }) => id);
      await concurrently(ids, async (id) => {
        runs.push(await readRun(this.#client(), tenant, id));
      });
    }
    const known = new Set(runs.map(({ id }) => id));
    const resolved = await this.#resolve(known);
    const schedule = { schedule: SCHEDULE, everyMs: WINDOW_MS };
    const [tenant = 'default'] = this.#options.tenants;
    const windows = await readWindows(this.#system.clients, tenant, schedule);
    return { runs, resolved, windows };
  }

  /** The workers once all of them are attached to every node and idle, or as they are after this time. */
  async idleWorkers(patienceMs: number): Promise<DumpedWorker[]> {
    const until = Date.now() + patienceMs;
    for (;;) {
      const workers = await readWorkers(this.#system);
      if (judgeWorkers(workers).length === 0 || Date.now() > until) return workers;
      await pause(POLL_MS);
    }
  }

  /** Submissions that were acknowledged for the owner, which has not taken them in yet. */
  async #waitingAliases(known: ReadonlySet<string>): Promise<string[]> {
    const waiting: string[] = [];
    for (const [submission, id] of await this.#resolve(known)) {
      if (id === undefined || known.has(id)) continue;
      waiting.push(`${submission.input.submission} of ${submission.tenant} is still no run: ${id}`);
    }
    return waiting;
  }

  /** What each acknowledged id leads to: itself, or the run that an alias stands for. */
  async #resolve(known: ReadonlySet<string>): Promise<Map<Submitted, string | undefined>> {
    const resolved = new Map<Submitted, string | undefined>();
    await concurrently([...this.#submissions], async (submission) => {
      const { tenant, answer } = submission;
      if (answer.kind !== 'acknowledged') return;
      if (known.has(answer.id)) {
        resolved.set(submission, answer.id);
        return;
      }
      const { status, body } = await this.#client().sure('GET', `/runs/${answer.id}`, { tenant });
      resolved.set(submission, status === 200 ? (body as { id: string }).id : undefined);
    });
    return resolved;
  }

  #client(): Client {
    const { clients } = this.#system;
    return clients[this.#next++ % clients.length] as Client;
  }
}

async function concurrently<T>(items: T[], act: (item: T) => Promise<void>): Promise<void> {
  const takeSome = async (): Promise<void> => {
    for (let item = items.pop(); item !== undefined; item = items.pop()) await act(item);
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, takeSome));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
