import type { Resources } from './resources.ts';

/**
 * Everything placement needs to know about a task, interned: two tasks with the same demands share
 * one shape. If one of them cannot be placed now, none can, so a blocked head costs one look and
 * never hides what is behind it (TEN-04, U047).
 */
export interface ShapeDemands {
  readonly request: Resources;
  readonly zone: string | null;
  /** Labels that a worker must have. */
  readonly labels: Readonly<Record<string, string>>;
  /** Labels that a worker had better have: where the data is. */
  readonly prefer: Readonly<Record<string, string>>;
  /** Jobs (or `job.task`) whose tasks must not share a worker with this one. */
  readonly apart: readonly string[];
  readonly executor: string | null;
}

export interface Shape extends ShapeDemands {
  readonly id: number;
  readonly key: string;
  /** A short hash of the key, the same in every process: part of the names of lanes in the store. */
  readonly hash: string;
}

/** Far more than a fleet can tell apart, and a bound on what tasks added at run time can make a node keep. */
const RECENT_MAX = 10_000;

/**
 * Interning is a pure memo of the recent shapes. The same demands give the same object as long as they
 * are asked for again before so many others; later they give an equal one, which has a queue of its
 * own: that costs a look, never a task. Only the id depends on the order of asking, and nothing durable or
 * ordered may use it.
 */
let recent = new Map<string, Shape>();
let earlier = new Map<string, Shape>();
let nextId = 0;

export function internShape(demands: ShapeDemands): Shape {
  const key = JSON.stringify([
    demands.request.cpuMilli,
    demands.request.memoryMb,
    demands.request.gpu,
    demands.request.diskMb,
    demands.request.slots,
    demands.zone,
    Object.entries(demands.labels).sort(byKey),
    Object.entries(demands.prefer).sort(byKey),
    [...demands.apart].sort(),
    demands.executor,
  ]);
  const known = recent.get(key);
  if (known !== undefined) return known;
  const shape = earlier.get(key) ?? { ...demands, id: nextId++, key, hash: hashOf(key) };
  if (recent.size >= RECENT_MAX) {
    earlier = recent;
    recent = new Map();
  }
  recent.set(key, shape);
  return shape;
}

/** How many shapes are kept, for the test that they do not grow with tasks that have ended. */
export function shapesKept(): number {
  return recent.size + earlier.size;
}

/** FNV-1a. Two shapes of one hash share a lane, which costs order, never a run. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}

export function withMemory(shape: Shape, memoryMb: number): Shape {
  return internShape({ ...shape, request: { ...shape.request, memoryMb } });
}

function byKey(a: readonly [string, string], b: readonly [string, string]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}
