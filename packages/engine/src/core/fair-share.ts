import { CLASSES } from '../model/classes.ts';
import type { Shape } from '../model/shape.ts';
import type { TenantClass } from '../model/tenant-class.ts';
import type { Core } from './core.ts';

/**
 * Recomputes the key of every tenant that has something queued or running. A tenant whose ready tasks
 * fit no worker there is takes no part and starts level when that changes: otherwise one task that
 * nobody can run saves up a claim on hours of everybody's time.
 */
export function recomputeShares(core: Core): void {
  const lowest: [number, number, number] = [...NONE];
  const idle: TenantClass[] = [];
  const isPlaceable = remembered((shape) => fitsSomewhere(core, shape));
  for (const owner of core.activeTenants()) {
    const key = owner.computeKey(core.now);
    owner.idle = owner.queued > 0 && !competes(core, owner, isPlaceable);
    if (owner.idle && owner.running === 0) idle.push(owner);
    else lowest[owner.class] = Math.min(lowest[owner.class], key);
  }
  for (const klass of CLASSES.keys()) {
    const key = lowest[klass] as number;
    if (Number.isFinite(key)) core.lowestKey[klass] = key;
  }
  for (const owner of idle) owner.catchUp(core.now, core.startLevel(owner.class));
  core.queues.rebuild();
}

const NONE: readonly [number, number, number] = [
  Number.POSITIVE_INFINITY,
  Number.POSITIVE_INFINITY,
  Number.POSITIVE_INFINITY,
];

function competes(core: Core, owner: TenantClass, isPlaceable: (shape: Shape) => boolean): boolean {
  const { blocked } = core.queues;
  if (blocked.size === 0) return true;
  for (const { size, queue } of owner.lanes.values()) {
    if (size > 0 && (!blocked.has(queue.shape.id) || isPlaceable(queue.shape))) return true;
  }
  // Set aside by a rule about single tasks: a worker that is busy now may take them.
  return owner.stalled.size > 0;
}

/** Some worker could take the shape if it were empty; one that gets nothing new does not count. */
function fitsSomewhere(core: Core, shape: Shape): boolean {
  for (const { status, statusKept, workerKind } of core.workers.workers.values()) {
    const lasting = status === 'detached' ? statusKept : status;
    if (lasting === 'cordoned' || lasting === 'draining') continue;
    if (core.admitsKind(shape, workerKind)) return true;
  }
  return false;
}

function remembered(ask: (shape: Shape) => boolean): (shape: Shape) => boolean {
  const answers = new Map<number, boolean>();
  return (shape) => {
    let answer = answers.get(shape.id);
    if (answer === undefined) {
      answer = ask(shape);
      answers.set(shape.id, answer);
    }
    return answer;
  };
}
