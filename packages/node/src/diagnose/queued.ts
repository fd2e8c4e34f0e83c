import {
  type BlockReason,
  CLASSES,
  type Core,
  countAhead,
  explainPlacement,
  shortageOf,
  type Task,
} from '@signalbox/engine';
import type { Finding } from './reasons.ts';
import { count, resourcesText } from './words.ts';

/** A ready task without a worker: the first constraint on its way to one that holds it. */
export function diagnoseQueued(core: Core, task: Task): Finding {
  return diagnosePaused(core, task) ?? diagnoseQuota(core, task) ?? diagnosePlacement(core, task);
}

function diagnosePaused(core: Core, task: Task): Finding | null {
  const { class: klass } = task.run;
  if (klass < core.pauseFrom) return null;
  if (core.pauseFrom === 0) {
    return {
      reason: 'STORE_AWAY',
      detail: 'The store cannot be reached or the lease is not sure, so nothing is handed out.',
      suggestion: 'Bring the store back; work goes on by itself.',
      numbers: {},
    };
  }
  const name = CLASSES[klass];
  return {
    reason: 'PAUSED_BY_PRESSURE',
    detail: `The store commits slowly, so ${name} gets no new assignments.`,
    suggestion: 'Relieve the store, or move the run to P0 or P1.',
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
    suggestion: `Raise maxRunning of the tenant above ${running}, or wait for one to end.`,
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
        suggestion: `Start a worker that offers ${shape.executor ?? 'any executor'}${howToOffer(shape.executor)}.`,
        numbers: { workers: 0 },
      };
    case 'ZONE_MISMATCH':
    case 'LABELS_MISMATCH':
    case 'NO_EXECUTOR':
      return offers(task, { workers, excluded, binding });
    case 'REQUEST_TOO_LARGE': {
      const asked = resourcesText(shape.request);
      return {
        reason: 'REQUEST_TOO_LARGE',
        detail: `It asks for ${asked}, and none of ${count(workers, 'worker')} is as large as that.`,
        suggestion: `Attach a worker with at least ${asked}, or ask for less.`,
        numbers: { asked: shape.request, workers, excluded },
      };
    }
    case 'WORKER_NOT_AVAILABLE': {
      const away = tally.get(binding) ?? 0;
      return {
        reason: 'WORKERS_NOT_AVAILABLE',
        detail: `${count(away, 'worker')} could run it, and each is cordoned, draining, silent or resting.`,
        suggestion: 'Uncordon one of them, or attach another.',
        numbers: { notAvailable: away, workers, excluded },
      };
    }
    case 'KEPT_APART':
      return {
        reason: 'KEPT_APART',
        detail: `${count(tally.get(binding) ?? 0, 'worker')} with room run something that it is kept apart from.`,
        suggestion: 'Attach a worker that runs none of it, or take the job off `apart`.',
        numbers: { apart: shape.apart, workers, excluded },
      };
    case 'TRIED_THERE_LAST':
    case 'NO_WORKER_CAPACITY':
    case 'WORKER_RESERVED':
    case null:
      return diagnoseLine(core, task, excluded);
  }
}

function offers(
  task: Task,
  seen: { workers: number; excluded: Record<string, number>; binding: BlockReason },
): Finding {
  const { shape } = task;
  const wants = [
    ...(shape.zone === null ? [] : [`the zone ${shape.zone}`]),
    ...Object.entries(shape.labels).map(([name, value]) => `the label ${name}=${value}`),
    ...(shape.executor === null ? [] : [`the executor ${shape.executor}`]),
  ].join(', ');
  const parts = [
    ['ZONE_MISMATCH', 'by zone'],
    ['LABELS_MISMATCH', 'by labels'],
    ['NO_EXECUTOR', 'by executor'],
  ].flatMap(([reason, words]) => {
    const ruledOut = seen.excluded[reason as string];
    return ruledOut === undefined ? [] : [`${ruledOut} ${words}`];
  });
  return {
    reason: 'NO_WORKER_OFFERS',
    detail: `Of ${count(seen.workers, 'worker')} none offers ${wants}: ruled out ${parts.join(', ')}.`,
    suggestion: `Attach a worker with ${wants}${howToOffer(shape.executor)}.`,
    numbers: { workers: seen.workers, excluded: seen.excluded, binding: seen.binding },
  };
}

/** As it is typed: the reader may see the word executor for the first time. */
function howToOffer(executor: string | null): string {
  if (executor === 'command' || executor === 'http') {
    return ` (\`signalbox worker --allow-${executor}\` or \`signalbox dev --allow-${executor}\`)`;
  }
  if (executor?.startsWith('handler:'))
    return ' (`signalbox worker --jobs FILE`, `signalbox dev --jobs FILE`, or `work` of the SDK)';
  return '';
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
      detail: `It is number ${total + 1} in line for ${count(suitable, 'worker')}; before it: ${who}.`,
      suggestion:
        total === 0
          ? 'Nothing: it is given out with the next step.'
          : 'Attach more workers of this kind, or move the run to a higher priority.',
      numbers,
    };
  }
  const lacks = missing.map(({ what, by }) => `${by} ${what}`).join(', ');
  return {
    reason: 'NO_WORKER_CAPACITY',
    detail: `It asks for ${resourcesText(request)}; of ${count(suitable, 'worker')} that could run it the nearest lacks ${lacks}.`,
    suggestion: `Attach a worker with ${resourcesText(request)} free, or wait for attempts to end.`,
    numbers: { ...numbers, missing },
  };
}
