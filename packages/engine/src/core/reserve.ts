import type { Class } from '../model/classes.ts';
import { CLASSES } from '../model/classes.ts';
import { DIMENSIONS, fits } from '../model/resources.ts';
import type { Shape } from '../model/shape.ts';
import type { Worker } from '../model/worker.ts';
import type { Core } from './core.ts';

/** At most this part of the fleet is kept free for large requests at a time. */
const FLEET_PART_MAX = 0.25;
/** Workers looked at for one reservation; in a large fleet one of these will do. */
const LOOK_MAX = 2_000;

/**
 * Keeps room together for tasks that need much at once. Without it every slot that becomes free is
 * taken at once by something small, and a large task waits for ever although it is first in line:
 * a P0 task behind P2, or a tenant that has used least behind all others.
 *
 * A shape that cannot be placed gets a worker reserved when somebody with less of a claim was
 * served meanwhile. The worker takes nothing new until the shape fits, and then competes again.
 */
export function reserveRoom(core: Core): void {
  if (core.queues.blocked.size === 0) return;
  const most = Math.max(1, Math.floor(core.workers.workers.size * FLEET_PART_MAX));
  for (const shape of core.queues.blocked.values()) {
    if (core.reservations.size >= most) return;
    if (core.reservations.has(shape.id) || !isOvertaken(core, shape)) continue;
    const worker = nearestTo(core, shape);
    if (worker === null) continue;
    worker.reservedFor = shape;
    core.reservations.set(shape.id, worker);
    core.workers.refresh(worker);
  }
}

/** Somebody with less of a claim has been served: a lower class, or a tenant that has used more. */
function isOvertaken(core: Core, shape: Shape): boolean {
  const since = core.queues.blockedSince(shape);
  for (let klass = 0; klass < CLASSES.length && klass < core.pauseFrom; klass++) {
    const first = core.queues.firstBlocked(shape, klass as Class);
    if (first === null) continue;
    for (let lower = klass + 1; lower < CLASSES.length; lower++) {
      if ((core.lastServed[lower] as number) > since) return true;
    }
    const served = (core.lastServed[klass] as number) > since;
    if (served && (core.fairLevel[klass] as number) > first.fairKey) return true;
  }
  return false;
}

/** The worker on which the shape is likely to fit first. */
function nearestTo(core: Core, shape: Shape): Worker | null {
  let nearest: Worker | null = null;
  let least = Number.POSITIVE_INFINITY;
  let looked = 0;
  for (const worker of core.workers.workers.values()) {
    if (worker.status !== 'healthy' || worker.reservedFor !== null) continue;
    if (!core.admitsKind(shape, worker.workerKind)) continue;
    const distance = distanceTo(worker, shape);
    if (distance < least) {
      nearest = worker;
      least = distance;
    }
    if (++looked === LOOK_MAX) break;
  }
  return nearest;
}

/**
 * What is missing, as a part of what smaller attempts hold there. Room that equals hold is no help:
 * when one of them ends, the shape fits there without a reservation.
 */
function distanceTo(worker: Worker, shape: Shape): number {
  let distance = 0;
  for (const dimension of DIMENSIONS) {
    const asked = shape.request[dimension];
    const missing = asked - worker.free[dimension];
    if (missing <= 0) continue;
    let coming = 0;
    for (const attempt of worker.attempts) {
      const held = attempt.shape.request[dimension];
      if (held < asked) coming += held;
    }
    if (coming < missing) return Number.POSITIVE_INFINITY;
    distance = Math.max(distance, missing / coming);
  }
  return distance;
}

/** Ends a reservation that has served its purpose, or cannot any more; answers whether it did. */
export function endReservation(core: Core, worker: Worker): boolean {
  const shape = worker.reservedFor;
  if (shape === null) return false;
  const keep =
    worker.status === 'healthy' &&
    core.queues.blocked.has(shape.id) &&
    core.queues.isWanted(shape) &&
    !fits(worker.free, shape.request);
  if (keep) return false;
  worker.reservedFor = null;
  core.reservations.delete(shape.id);
  core.workers.refresh(worker);
  return true;
}
