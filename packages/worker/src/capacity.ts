import os from 'node:os';
import type { Resources } from '@signalbox/protocol/link';

export const NOTHING: Resources = { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 0 };
const DIMENSIONS = ['cpuMilli', 'memoryMb', 'gpu', 'diskMb', 'slots'] as const;
/** How many attempts a worker runs at once where it is not told otherwise (WRK-03). */
export const DEFAULT_SLOTS = 10;

type Amounts = { -readonly [K in keyof Resources]: Resources[K] };

/**
 * What this worker has and what is taken of it. Several nodes may give to it at the same moment,
 * each knowing only its own share: the worker alone knows the sum, so it alone may say yes.
 */
export class Capacity {
  readonly total: Resources;
  readonly #used: Amounts = { ...NOTHING };

  constructor(total: Partial<Resources>) {
    this.total = { ...machine(), slots: DEFAULT_SLOTS, ...total };
  }

  get used(): Resources {
    return this.#used;
  }

  /** Takes it where it fits. A request of no slot takes none but still needs one to be free. */
  take(request: Resources): boolean {
    const fits = DIMENSIONS.every((d) => this.#used[d] + request[d] <= this.total[d]);
    if (!fits || this.#used.slots >= this.total.slots) return false;
    for (const d of DIMENSIONS) this.#used[d] += request[d];
    return true;
  }

  release(request: Resources): void {
    for (const d of DIMENSIONS) this.#used[d] -= request[d];
  }
}

export function sum(all: Iterable<Resources>): Resources {
  const total: Amounts = { ...NOTHING };
  for (const each of all) for (const d of DIMENSIONS) total[d] += each[d];
  return total;
}

/** What the machine, or the container around us, has. GPUs and disk are only what one is told. */
function machine(): Resources {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
  const cpuMilli = os.availableParallelism() * 1_000;
  return { ...NOTHING, cpuMilli, memoryMb: Math.floor(bytes / 1_048_576) };
}
