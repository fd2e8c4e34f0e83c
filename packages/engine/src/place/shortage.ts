import { clampToZero, DIMENSIONS, type Resources } from '../model/resources.ts';
import type { Shape } from '../model/shape.ts';
import type { Worker } from '../model/worker.ts';
import type { WorkerIndex } from '../model/worker-index.ts';
import { admitsKind } from './choose.ts';

export interface Shortage {
  /** Workers that could hold the shape if they were empty, and may be given work. */
  readonly suitable: number;
  /** Those of them that are kept free for another shape. */
  readonly reserved: number;
  /** What is free on the one that lacks least; null without a suitable worker. */
  readonly nearest: Resources | null;
  /** What is missing there, and how much of it. */
  readonly missing: readonly { readonly what: keyof Resources; readonly by: number }[];
}

/** How far the fleet is from having room for a shape: asked when no worker has (NO_WORKER_CAPACITY). */
export function shortageOf(index: WorkerIndex, shape: Shape): Shortage {
  let suitable = 0;
  let reserved = 0;
  let nearest: Worker | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const worker of index.workers.values()) {
    if (worker.status !== 'healthy' || !admitsKind(shape, worker.workerKind)) continue;
    suitable++;
    if (worker.reservedFor !== null && worker.reservedFor !== shape) reserved++;
    const distance = distanceOf(worker, shape);
    if (distance >= least) continue;
    nearest = worker;
    least = distance;
  }
  if (nearest === null) return { suitable, reserved, nearest: null, missing: [] };
  const { free } = nearest;
  const missing = DIMENSIONS.flatMap((what) => {
    const by = shape.request[what] - free[what];
    return by > 0 ? [{ what, by }] : [];
  });
  return { suitable, reserved, nearest: clampToZero(free), missing };
}

/** The sum of what is missing, each as a part of what is asked for. */
function distanceOf(worker: Worker, shape: Shape): number {
  let distance = 0;
  for (const what of DIMENSIONS) {
    const asked = shape.request[what];
    if (asked > worker.free[what]) distance += (asked - worker.free[what]) / asked;
  }
  return distance;
}
