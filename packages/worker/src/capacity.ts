import os from 'node:os';
import { type LimitName, type Resources, requireWithin } from '@signalbox/protocol/link';

export const NOTHING: Resources = { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 0 };
/** How many attempts a worker runs at once by default (WRK-03). */
export const DEFAULT_SLOTS = 10;

type Amounts = { -readonly [K in keyof Resources]: Resources[K] };

/**
 * The resources of this worker and their use. Several nodes may assign attempts at the same time, each aware
 * only of its own: only the worker knows the sum, so it decides whether an attempt fits.
 */
export class Capacity {
  readonly total: Resources;
  readonly #used: Amounts = { ...NOTHING };

  constructor(total: Partial<Resources>) {
    for (const [name, amount] of Object.entries(total)) {
      requireWithin(`worker.${name}` as LimitName, name, amount);
    }
    this.total = { ...machine(), slots: DEFAULT_SLOTS, ...total };
  }

  get used(): Resources {
    return this.#used;
  }

  /** Reserves the resources if they fit. A request without a slot still needs a free one. */
  take(request: Resources): boolean {
    if (!this.#fits(request) || this.#used.slots >= this.total.slots) return false;
    add(this.#used, request, 1);
    return true;
  }

  release(request: Resources): void {
    add(this.#used, request, -1);
  }

  #fits(request: Resources): boolean {
    const { total } = this;
    const used = this.#used;
    return (
      used.cpuMilli + request.cpuMilli <= total.cpuMilli &&
      used.memoryMb + request.memoryMb <= total.memoryMb &&
      used.gpu + request.gpu <= total.gpu &&
      used.diskMb + request.diskMb <= total.diskMb &&
      used.slots + request.slots <= total.slots
    );
  }
}

export function sum(all: Iterable<Resources>): Resources {
  const total: Amounts = { ...NOTHING };
  for (const each of all) add(total, each, 1);
  return total;
}

function add(to: Amounts, amounts: Resources, times: 1 | -1): void {
  to.cpuMilli += times * amounts.cpuMilli;
  to.memoryMb += times * amounts.memoryMb;
  to.gpu += times * amounts.gpu;
  to.diskMb += times * amounts.diskMb;
  to.slots += times * amounts.slots;
}

/** The CPU and memory of the machine or container. GPUs and disk are not detected. */
function machine(): Resources {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
  const cpuMilli = os.availableParallelism() * 1_000;
  return { ...NOTHING, cpuMilli, memoryMb: Math.floor(bytes / 1_048_576) };
}
