import { seededRandom } from '@signalbox/engine';
import type { Client } from './client.ts';
import { type Dump, type DumpedRun, listRuns, readRun, readWindows } from './dump.ts';
import { Faults } from './faults.ts';
import { History, type Submitted, TERMINAL } from './history.ts';
import { judgeAcknowledgements } from './judges/acknowledgements.ts';
import { judgeExecutions } from './judges/executions.ts';
import { judgeViews } from './judges/views.ts';
import { judgeWindows } from './judges/windows.ts';
import { Actor } from './operations.ts';
import type { ModelOptions } from './options.ts';
import { SCHEDULE, ScheduleActor, WINDOW_MS } from './schedule-actor.ts';
import { System } from './system.ts';

export interface Report {
  readonly problems: readonly string[];
  readonly submissions: number;
  readonly acknowledged: number;
  readonly duplicates: number;
  readonly refused: number;
  readonly unknown: number;
  readonly runs: number;
  readonly windows: number;
  readonly shown: number;
  readonly faults: number;
  /** The end of every process's log; empty where all went well. */
  readonly logs: string;
}

/** After the last fault everything has to come to rest within this time. */
const REST_MS = 120_000;

/**
 * Random requests by seed against real processes on a real store, while processes are killed and
 * stopped; then everything is healed, and judges compare what was answered with what is there and
 * with what the handlers wrote down themselves. The seed fixes what is drawn, not how the threads of
 * the processes interleave: a seed that failed is likely, not certain, to fail again.
 */
export async function runModel(options: ModelOptions): Promise<Report> {
  const system = new System(options);
  const history = new History();
  try {
    await system.start();
    const { clients } = system;
    const endAt = Date.now() + options.seconds * 1_000;
    const [tenant = 'default'] = options.tenants;
    const draw = (n: number) => seededRandom(options.seed * 1_000 + n);
    const schedule = new ScheduleActor({ clients, history, tenant, random: draw(1) });
    const faults = new Faults({ system, history, options, random: draw(2) });
    const actors = Array.from({ length: options.clients }, (_, i) => {
      return new Actor({ options, history, clients, random: draw(3 + i) });
    });
    await Promise.all([
      schedule.runUntil(endAt),
      faults.runUntil(endAt),
      ...actors.map((actor) => actUntil(actor, endAt)),
    ]);
    await system.ready();
    await schedule.stop();
    const restless = await comeToRest(clients, options.tenants);
    const dump = await readAll(clients, options, history.submissions);
    const problems = [
      ...history.broken,
      ...restless,
      ...judgeAcknowledgements(history.submissions, dump),
      ...judgeExecutions(system.evidence(), dump.runs),
      ...judgeViews(history.shown, dump.runs),
      ...judgeWindows(dump, WINDOW_MS),
    ];
    return { ...countsOf(history, dump), problems, logs: problems.length > 0 ? system.logs() : '' };
  } finally {
    await system.stop();
  }
}

const ACT_EVERY_MS = 20;
const READS_AT_ONCE = 16;

/** Paced, so that the nodes have time for their work on a small machine too. */
async function actUntil(actor: Actor, endAt: number): Promise<void> {
  while (Date.now() < endAt) {
    await actor.act();
    await new Promise((resolve) => setTimeout(resolve, ACT_EVERY_MS));
  }
}

/** I18: waits until every run has ended; says which have not. */
async function comeToRest(
  clients: readonly Client[],
  tenants: readonly string[],
): Promise<string[]> {
  const until = Date.now() + REST_MS;
  for (;;) {
    const open: string[] = [];
    for (const tenant of tenants) {
      for (const { id, state } of await listRuns(clients[0] as Client, tenant)) {
        if (!TERMINAL.has(state)) open.push(`run ${id} of ${tenant} is still ${state}`);
      }
    }
    if (open.length === 0 || Date.now() > until) return open;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function readAll(
  clients: readonly Client[],
  { tenants }: ModelOptions,
  submissions: readonly Submitted[],
): Promise<Dump> {
  const runs: DumpedRun[] = [];
  let n = 0;
  // Any node: each has to show the same.
  const next = (): Client => clients[n++ % clients.length] as Client;
  for (const tenant of tenants) {
    const ids = (await listRuns(next(), tenant)).map(({ id }) => id);
    const readSome = async (): Promise<void> => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
        runs.push(await readRun(next(), tenant, id));
      }
    };
    await Promise.all(Array.from({ length: READS_AT_ONCE }, readSome));
  }
  const resolved = new Map<Submitted, string | undefined>();
  const known = new Set(runs.map(({ id }) => id));
  for (const submission of submissions) {
    const { tenant, answer } = submission;
    if (answer.kind !== 'acknowledged') continue;
    if (known.has(answer.id)) resolved.set(submission, answer.id);
    else {
      // Acknowledged by the inbox: the id is an alias of the run's own.
      const { status, body } = await next().sure('GET', `/runs/${answer.id}`, { tenant });
      resolved.set(submission, status === 200 ? (body as { id: string }).id : undefined);
    }
  }
  const of = { schedule: SCHEDULE, everyMs: WINDOW_MS };
  const windows = await readWindows(next(), tenants[0] ?? 'default', of);
  return { runs, resolved, windows };
}

function countsOf(history: History, { runs, windows }: Dump): Omit<Report, 'problems' | 'logs'> {
  const answers = history.submissions.map(({ answer }) => answer);
  const acknowledged = answers.filter(({ kind }) => kind === 'acknowledged');
  return {
    submissions: answers.length,
    acknowledged: acknowledged.length,
    duplicates: acknowledged.filter((a) => a.kind === 'acknowledged' && !a.created).length,
    refused: answers.filter(({ kind }) => kind === 'refused').length,
    unknown: answers.filter(({ kind }) => kind === 'unknown').length,
    runs: runs.length,
    windows: windows.length,
    shown: history.shown.length,
    faults: history.faults.length,
  };
}
