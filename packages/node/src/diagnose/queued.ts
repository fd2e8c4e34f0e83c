import {
  type BlockReason,
  CLASSES,
  type Core,
  countAhead,
  explainPlacement,
  type NearestWorker,
  nearestWorker,
  type Shape,
  shortageOf,
  type Task,
  unavailableWorkers,
  type Worker,
} from '@signalbox/engine';
import { COMMAND_ISOLATED } from '@signalbox/protocol';
import { lastAttempt } from './attempt.ts';
import type { Finding } from './reasons.ts';
import { count, resourcesText, shellWord } from './words.ts';

/** A ready task without a worker: the first constraint on its way to one that holds it. */
export function diagnoseQueued(core: Core, task: Task): Finding {
  const found =
    diagnosePaused(core, task) ?? diagnoseQuota(core, task) ?? diagnosePlacement(core, task);
  const before = lastAttempt(task);
  return before === null ? found : { ...found, detail: `${found.detail} ${before}.` };
}

function diagnosePaused(core: Core, task: Task): Finding | null {
  const { class: klass } = task.run;
  if (klass < core.pauseFrom) return null;
  if (core.pauseFrom === 0) {
    return {
      reason: 'STORE_AWAY',
      detail: 'The store is unavailable or the lease is uncertain, so no task is assigned.',
      suggestion: 'Restore the connection to the store; assignment then continues.',
      numbers: {},
    };
  }
  const name = CLASSES[klass];
  return {
    reason: 'PAUSED_BY_PRESSURE',
    detail: `The store commits slowly, so no ${name} task is assigned.`,
    suggestion: 'Reduce the load of the store, or change the priority of the run to P0 or P1.',
    numbers: { priority: name, pausedFrom: `P${core.pauseFrom}` },
  };
}

/** P0 knows no limit (PRI-11). */
function diagnoseQuota(core: Core, task: Task): Finding | null {
  const { class: klass, spec } = task.run;
  const { running, runningMax, queued } = core.ofTenant(spec.tenant, klass);
  if (klass === 0 || running < runningMax) return null;
  const name = CLASSES[klass];
  return {
    reason: 'TENANT_OVER_QUOTA',
    detail: `The tenant runs ${running} of at most ${runningMax} attempts in ${name}.`,
    suggestion: `Wait for an attempt to end, or raise the limit: signalbox tenants update ${shellWord(spec.tenant)} --max-running ${running + 1}`,
    numbers: { running, maxRunning: runningMax, queued, priority: name },
  };
}

/** How far a worker got before a rule refused it; the furthest one is the one that binds. */
const FURTHEST: readonly BlockReason[] = [
  'TRIED_THERE_LAST',
  'KEPT_APART',
  'NO_WORKER_CAPACITY',
  'WORKER_RESERVED',
  'WORKER_NOT_AVAILABLE',
  'REQUEST_TOO_LARGE',
  'NO_EXECUTOR',
  'LABELS_MISMATCH',
  'ZONE_MISMATCH',
  'NO_WORKER_ATTACHED',
];

function diagnosePlacement(core: Core, task: Task): Finding {
  const tally = explainPlacement(core.workers, task);
  const excluded = Object.fromEntries(tally);
  const workers = core.workers.workers.size;
  const binding = FURTHEST.find((reason) => tally.has(reason)) ?? null;
  const { shape } = task;
  switch (binding) {
    case 'NO_WORKER_ATTACHED':
      return {
        reason: 'NO_WORKER_ATTACHED',
        detail: 'No worker is attached to this node.',
        suggestion: `Start a worker: ${workerCommand(shape)}`,
        numbers: { workers: 0 },
      };
    case 'ZONE_MISMATCH':
    case 'LABELS_MISMATCH':
    case 'NO_EXECUTOR':
      return offers(core, task, { workers, excluded });
    case 'REQUEST_TOO_LARGE': {
      const asked = resourcesText(shape.request);
      return {
        reason: 'REQUEST_TOO_LARGE',
        detail: `The task requests ${asked}, and none of ${count(workers, 'worker')} is that large.`,
        suggestion: `Reduce the requested resources, or start a worker with at least ${asked}: ${workerCommand(shape)}`,
        numbers: { asked: shape.request, workers, excluded },
      };
    }
    case 'WORKER_NOT_AVAILABLE':
      return notAvailable(core, task, { workers, excluded });
    case 'KEPT_APART':
      return {
        reason: 'KEPT_APART',
        detail: `${count(tally.get(binding) ?? 0, 'worker')} with free capacity already run a task that this task must not share a worker with.`,
        suggestion: `Remove the job from \`antiAffinity\`, or start another worker: ${workerCommand(shape)}`,
        numbers: { apart: shape.apart, workers, excluded },
      };
    case 'TRIED_THERE_LAST':
    case 'NO_WORKER_CAPACITY':
    case 'WORKER_RESERVED':
    case null:
      return diagnoseLine(core, task, excluded);
  }
}

/** No worker has all that it asks for: the one that lacks least shows what is really missing. */
function offers(
  core: Core,
  task: Task,
  seen: { workers: number; excluded: Record<string, number> },
): Finding {
  const { shape } = task;
  const nearest = nearestWorker(core.workers, shape) as NearestWorker;
  const { worker, missing } = nearest;
  const demands = demandsOf(shape, worker);
  const met = demands.filter(({ isMet }) => isMet).map(({ text }) => text);
  const lacking = demands.filter(({ isMet }) => !isMet).map(({ text, has }) => `${text}${has}`);
  const offered = met.length === 0 ? 'lacks' : `offers ${met.join(', ')}, but not`;
  return {
    reason: 'NO_WORKER_OFFERS',
    detail: `None of ${count(seen.workers, 'worker')} offers everything that the task requires. The closest, ${worker.info.name}, ${offered} ${lacking.join(', ')}.`,
    suggestion: `Start a suitable worker: ${workerCommand(shape)}`,
    numbers: { ...seen, binding: missing[0], nearest: worker.info.name },
  };
}

interface Demand {
  readonly isMet: boolean;
  readonly text: string;
  /** What the worker has instead, in brackets. */
  readonly has: string;
}

function demandsOf(shape: Shape, { info }: Worker): Demand[] {
  const zone = { isMet: shape.zone === info.zone, text: `the zone ${shape.zone}` };
  const labels = Object.entries(shape.labels).map(([name, value]) => {
    const own = info.labels[name];
    const has = own === undefined ? '' : ` (the worker has ${name}=${own})`;
    return { isMet: own === value, text: `the label ${name}=${value}`, has };
  });
  const executor = {
    isMet: shape.executor !== null && info.executors.includes(shape.executor),
    text: `the executor ${shape.executor}`,
    has: '',
  };
  return [
    ...(shape.executor === null ? [] : [executor]),
    ...(shape.zone === null ? [] : [{ ...zone, has: ` (the worker is in ${info.zone})` }]),
    ...labels,
  ];
}

/** Workers named in an answer. */
const WORKERS_NAMED = 5;

function notAvailable(
  core: Core,
  { shape }: Task,
  seen: { workers: number; excluded: Record<string, number> },
): Finding {
  const away = unavailableWorkers(core.workers, shape);
  const named = away
    .slice(0, WORKERS_NAMED)
    .map(({ info, status }) => `${info.name} (${status})`)
    .join(', ');
  const more = away.length > WORKERS_NAMED ? ` and ${away.length - WORKERS_NAMED} more` : '';
  const held = away.find(({ status }) => status === 'cordoned' || status === 'draining');
  const another = `start another: ${workerCommand(shape)}`;
  return {
    reason: 'WORKERS_NOT_AVAILABLE',
    detail: `${count(away.length, 'worker')} could run the task, but ${away.length === 1 ? 'accepts' : 'accept'} no new attempts: ${named}${more}.`,
    suggestion:
      held === undefined
        ? `Wait until one of them is attached again, or ${another}`
        : `Let ${held.info.name} take work again: signalbox uncordon ${shellWord(held.info.name)}, or ${another}`,
    numbers: { notAvailable: away.length, ...seen },
  };
}

/** A command that starts a worker for the shape; `jobs.ts` stands for the module with the handler. */
function workerCommand({ executor, zone, labels }: Shape): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const options = [
    ...(executor === 'command' || executor === 'http' ? [`--allow-${executor}`] : []),
    ...(executor === COMMAND_ISOLATED ? ['--allow-command --command-isolation bubblewrap'] : []),
    ...(executor?.startsWith('handler:') ? ['--jobs jobs.ts'] : []),
    ...(zone === null ? [] : [`--zone ${shellWord(zone)}`]),
    ...(pairs.length === 0 ? [] : [`--labels ${shellWord(pairs.join(','))}`]),
  ];
  const handler = executor?.startsWith('handler:')
    ? ` (jobs.ts: the module with the handler ${executor.slice('handler:'.length)})`
    : '';
  return `${['signalbox worker', ...options].join(' ')}${handler}`;
}

/** Workers could run it: it waits for room, or for those before it. */
function diagnoseLine(core: Core, task: Task, excluded: Record<string, number>): Finding {
  const ahead = countAhead(core, task);
  const total = ahead[0] + ahead[1] + ahead[2];
  const { suitable, reserved, nearest, missing } = shortageOf(core.workers, task.shape);
  const { request } = task.shape;
  const numbers = {
    position: total + 1,
    ahead: { P0: ahead[0], P1: ahead[1], P2: ahead[2] },
    asked: request,
    nearestFree: nearest,
    suitableWorkers: suitable,
    reservedWorkers: reserved,
    excluded,
  };
  if (total > 0 || missing.length === 0) {
    const by = CLASSES.flatMap((name, i) =>
      ahead[i as 0] > 0 ? [`${ahead[i as 0]} of ${name}`] : [],
    );
    const who = by.length === 0 ? 'nothing' : by.join(', ');
    return {
      reason: 'PRIORITY_QUEUE_WAIT',
      detail: `The task is number ${total + 1} in the queue for ${count(suitable, 'worker')}; ahead of it: ${who}.`,
      suggestion:
        total === 0
          ? 'Nothing: the task is assigned next.'
          : `Start more workers of this kind: ${workerCommand(task.shape)}`,
      numbers,
    };
  }
  const lacks = missing.map(({ what, by }) => `${by} ${what}`).join(', ');
  return {
    reason: 'NO_WORKER_CAPACITY',
    detail: `The task requests ${resourcesText(request)}; of ${count(suitable, 'suitable worker')}, the closest lacks ${lacks}.`,
    suggestion: `Wait for attempts to end, or start a worker with ${resourcesText(request)} free: ${workerCommand(task.shape)}`,
    numbers: { ...numbers, missing },
  };
}
