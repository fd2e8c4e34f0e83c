import { seededRandom } from '@signalbox/engine';
import { openStore } from '../../packages/node/src/open-store.ts';
import type { Evidence } from '../../sim/evidence.ts';
import type { Dump } from './dump.ts';
import { gatherEvidence } from './evidence/gather.ts';
import { Faults } from './faults.ts';
import { History } from './history.ts';
import { GRACE_MS } from './jobs.ts';
import { judgeAcknowledgements } from './judges/acknowledgements.ts';
import { judgeCancellations } from './judges/cancellations.ts';
import { judgeByCheckers } from './judges/checkers.ts';
import { judgeRunStreams, judgeStreams, unwatched } from './judges/event-streams.ts';
import { judgeExecutions } from './judges/executions.ts';
import { judgeExits } from './judges/exits.ts';
import { judgeRequests } from './judges/requests.ts';
import { judgeViews } from './judges/views.ts';
import { judgeWindows } from './judges/windows.ts';
import { judgeWorkers } from './judges/workers.ts';
import { Actor, type ActorParams } from './operations.ts';
import type { ModelOptions } from './options.ts';
import { Reader } from './reader.ts';
import { ScheduleActor, WINDOW_MS } from './schedule-actor.ts';
import { PARTITIONS, System } from './system.ts';
import { Watching } from './watching.ts';

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
  readonly retried: number;
  /** Batches under a key that were acknowledged, and those that were refused. */
  readonly requests: number;
  readonly requestsRefused: number;
  /** Streams of single runs that came to their end. */
  readonly runStreams: number;
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
    const [tenant = 'default'] = options.tenants;
    const draw = (n: number) => seededRandom(options.seed * 1_000 + n);
    const schedule = new ScheduleActor({ clients, history, tenant, random: draw(1) });
    const faults = new Faults({ system, history, options, random: draw(2) });
    const sent: ActorParams['sent'] = [];
    const actors = Array.from({ length: options.clients }, (_, i) => {
      return new Actor({ options, history, clients, sent, random: draw(3 + i) });
    });
    const drawStream = (n: number) => draw(100 + n);
    const watching = await Watching.start({ system, options, history, draw: drawStream });
    const endAt = Date.now() + options.seconds * 1_000;
    await Promise.all([
      schedule.runUntil(endAt),
      faults.runUntil(endAt),
      ...actors.map((actor) => actUntil(actor, endAt, options)),
    ]);
    await system.ready();
    await schedule.stop();
    const judged = await judge({ system, history, options, watching, schedule });
    const { problems } = judged;
    const logs = problems.length > 0 ? system.logs() : '';
    return { ...countsOf(history, judged), problems, logs };
  } finally {
    await system.stop();
  }
}

interface Judged {
  readonly dump: Dump;
  readonly runStreams: number;
  readonly problems: readonly string[];
}

async function judge(params: {
  system: System;
  history: History;
  options: ModelOptions;
  watching: Watching;
  schedule: ScheduleActor;
}): Promise<Judged> {
  const { system, history, options, watching, schedule } = params;
  const { broken, faults, submissions, shown, cancelled } = history;
  try {
    const reader = new Reader({ system, options, submissions });
    const restless = await reader.comeToRest(REST_MS);
    const dump = await reader.readAll();
    const streams = await watching.finish(dump.runs);
    await schedule.remove();
    const evidence = await evidenceOf({ ...params, dump, restless });
    const executions = system.executions();
    const problems = [
      ...broken,
      ...restless,
      ...judgeExits([...system.nodes, ...system.workers]),
      ...judgeAcknowledgements(submissions, dump),
      ...judgeRequests(history.requests),
      ...judgeExecutions(executions, dump.runs, faults),
      ...judgeViews(shown, dump.runs),
      ...judgeWindows(dump, WINDOW_MS),
      ...judgeCancellations(cancelled, dump.runs, { faults, graceMs: GRACE_MS }),
      ...judgeStreams(streams.tenants, dump.runs),
      ...unwatched(streams.tenants, PARTITIONS),
      ...judgeRunStreams(streams.runs, dump.runs),
      ...judgeByCheckers(evidence, history),
      ...judgeWorkers(await reader.idleWorkers(REST_MS)),
    ];
    const runStreams = streams.runs.filter(({ isOver }) => isOver).length;
    return { dump, runStreams, problems };
  } catch (error) {
    await watching.stop();
    // What cannot be read after everything is healed is a problem like the others.
    const dump = { runs: [], resolved: new Map(), windows: [] };
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { dump, runStreams: 0, problems: [...broken, what] };
  }
}

/** Read from the store itself, beside the nodes. */
async function evidenceOf(params: {
  system: System;
  history: History;
  options: ModelOptions;
  schedule: ScheduleActor;
  dump: Dump;
  restless: readonly string[];
}): Promise<Evidence> {
  const { system, schedule } = params;
  const store = await openStore(system.storeAddress);
  try {
    // Nothing is to be migrated; the store learns the sizes of its segments.
    await store.migrate();
    await schedule.removed(store, REST_MS);
    return await gatherEvidence({ ...params, store, executions: system.executions() });
  } finally {
    await store.close();
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

function countsOf(
  history: History,
  { dump: { runs, windows }, runStreams }: Judged,
): Omit<Report, 'problems' | 'logs'> {
  const answers = history.submissions.map(({ answer }) => answer);
  const acknowledged = answers.filter(({ kind }) => kind === 'acknowledged');
  const requests = history.requests.filter(({ isAcknowledged }) => isAcknowledged).length;
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
    retried: history.retried.length,
    requests,
    requestsRefused: history.requests.length - requests,
    runStreams,
    faults: history.faults.length,
  };
}
