import { seededRandom } from '@signalbox/engine';
import type { Dump, DumpedRun } from './dump.ts';
import { EventWatcher } from './event-watcher.ts';
import { Faults } from './faults.ts';
import { History, type Streamed } from './history.ts';
import { GRACE_MS } from './jobs.ts';
import { judgeAcknowledgements } from './judges/acknowledgements.ts';
import { judgeCancellations } from './judges/cancellations.ts';
import { judgeStreams } from './judges/event-streams.ts';
import { judgeExecutions } from './judges/executions.ts';
import { judgeExits } from './judges/exits.ts';
import { judgeViews } from './judges/views.ts';
import { judgeWindows } from './judges/windows.ts';
import { judgeWorkers } from './judges/workers.ts';
import { Actor } from './operations.ts';
import type { ModelOptions, Random } from './options.ts';
import { Reader } from './reader.ts';
import { ScheduleActor, WINDOW_MS } from './schedule-actor.ts';
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
  readonly cancelled: number;
  readonly faults: number;
  /** The end of every process's log; empty where all went well. */
  readonly logs: string;
}

/** After the last fault everything has to come to rest within this time. */
const REST_MS = 120_000;
/** A stream that was cut resumes within this time. */
const CAUGHT_UP_MS = 30_000;

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
    const watchers = watchTenants(system, options, draw(100));
    await Promise.all(watchers.map(({ started }) => started));
    await Promise.all([
      schedule.runUntil(endAt),
      faults.runUntil(endAt),
      ...actors.map((actor) => actUntil(actor, endAt, options)),
    ]);
    await system.ready();
    await schedule.stop();
    const { dump, problems } = await judge({ system, history, options, watchers });
    return { ...countsOf(history, dump), problems, logs: problems.length > 0 ? system.logs() : '' };
  } finally {
    await system.stop();
  }
}

interface Judged {
  readonly dump: Dump;
  readonly problems: readonly string[];
}

async function judge(params: {
  system: System;
  history: History;
  options: ModelOptions;
  watchers: readonly EventWatcher[];
}): Promise<Judged> {
  const { system, history, options, watchers } = params;
  const { broken, faults, submissions, shown, cancelled } = history;
  try {
    const reader = new Reader({ system, options, submissions });
    const restless = await reader.comeToRest(REST_MS);
    const dump = await reader.readAll();
    const streams = await finishWatching(watchers, dump.runs);
    const problems = [
      ...broken,
      ...restless,
      ...judgeExits([...system.nodes, ...system.workers], faults),
      ...judgeAcknowledgements(submissions, dump),
      ...judgeExecutions(system.evidence(), dump.runs, faults),
      ...judgeViews(shown, dump.runs),
      ...judgeWindows(dump, WINDOW_MS),
      ...judgeCancellations(cancelled, dump.runs, { faults, graceMs: GRACE_MS }),
      ...judgeStreams(streams, dump.runs),
      ...judgeWorkers(await reader.idleWorkers(REST_MS)),
    ];
    return { dump, problems };
  } catch (error) {
    // What cannot be read after everything is healed is a problem like the others.
    const dump = { runs: [], resolved: new Map(), windows: [] };
    return { dump, problems: [...broken, String(error)] };
  }
}

/** Paced, which bounds what has to be done and read afterwards, on a fast machine too. */
async function actUntil(
  actor: Actor,
  endAt: number,
  { actEveryMs, requestsMin }: ModelOptions,
): Promise<void> {
  for (let requests = 0; requests < requestsMin || Date.now() < endAt; requests++) {
    await actor.act();
    await new Promise((resolve) => setTimeout(resolve, actEveryMs));
  }
}

/** One stream of each tenant. A node sends the events of its own partitions, so only a single one sends all. */
function watchTenants(system: System, { tenants, nodes }: ModelOptions, random: Random) {
  if (nodes > 1) return [];
  return tenants.map((tenant) => new EventWatcher({ system, tenant, random }));
}

async function finishWatching(
  watchers: readonly EventWatcher[],
  runs: readonly DumpedRun[],
): Promise<Streamed[]> {
  await Promise.all(watchers.map((watcher) => watcher.caughtUp(runs, CAUGHT_UP_MS)));
  return Promise.all(watchers.map((watcher) => watcher.stop()));
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
    cancelled: history.cancelled.length,
    faults: history.faults.length,
  };
}
