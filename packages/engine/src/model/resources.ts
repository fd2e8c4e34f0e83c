/**
 * What a task asks for and what a worker has. Whole numbers of small units, because sums of
 * fractions drift and a drifting sum would in the end overbook a worker (PLC-01).
 */
export interface Resources {
  readonly cpuMilli: number;
  readonly memoryMb: number;
  readonly gpu: number;
  readonly diskMb: number;
  readonly slots: number;
}

export const DIMENSIONS = ['cpuMilli', 'memoryMb', 'gpu', 'diskMb', 'slots'] as const;

export const NO_RESOURCES: Resources = { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 0 };

/** A task that asks for nothing still takes one slot: slots bound how many run at once. */
export const DEFAULT_REQUEST: Resources = { ...NO_RESOURCES, slots: 1 };

export function fits(free: Resources, request: Resources): boolean {
  return (
    request.slots <= free.slots &&
    request.cpuMilli <= free.cpuMilli &&
    request.memoryMb <= free.memoryMb &&
    request.gpu <= free.gpu &&
    request.diskMb <= free.diskMb
  );
}

export function add(a: Resources, b: Resources): Resources {
  return {
    cpuMilli: a.cpuMilli + b.cpuMilli,
    memoryMb: a.memoryMb + b.memoryMb,
    gpu: a.gpu + b.gpu,
    diskMb: a.diskMb + b.diskMb,
    slots: a.slots + b.slots,
  };
}

export function subtract(a: Resources, b: Resources): Resources {
  return {
    cpuMilli: a.cpuMilli - b.cpuMilli,
    memoryMb: a.memoryMb - b.memoryMb,
    gpu: a.gpu - b.gpu,
    diskMb: a.diskMb - b.diskMb,
    slots: a.slots - b.slots,
  };
}

export function isSame(a: Resources, b: Resources): boolean {
  return DIMENSIONS.every((d) => a[d] === b[d]);
}

/** Component-wise maximum with zero: a worker may report more use than its total. */
export function clampToZero(a: Resources): Resources {
  return {
    cpuMilli: Math.max(0, a.cpuMilli),
    memoryMb: Math.max(0, a.memoryMb),
    gpu: Math.max(0, a.gpu),
    diskMb: Math.max(0, a.diskMb),
    slots: Math.max(0, a.slots),
  };
}

/** The largest fraction of `total` that `part` takes in any dimension; 0 where total has none. */
export function dominantShare(part: Resources, total: Resources): number {
  let share = 0;
  for (const dimension of DIMENSIONS) {
    const whole = total[dimension];
    if (whole > 0) share = Math.max(share, part[dimension] / whole);
  }
  return share;
}

export function isWhole(r: Resources): boolean {
  return DIMENSIONS.every((d) => Number.isSafeInteger(r[d]) && r[d] >= 0);
}
