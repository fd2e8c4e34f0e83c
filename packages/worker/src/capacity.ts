import os from 'node:os';
import { type LimitName, type Resources, requireWithin } from '@signalbox/protocol/link';

export const NOTHING: Resources = { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 0 };
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
    for (const [name, amount] of Object.entries(total)) {
      requireWithin(`worker.${name}` as LimitName, name, amount);
    }
    this.total = { ...machine(), slots: DEFAULT_SLOTS, ...total };
  }

  get used(): Resources {
    return this.#used;
  }

  /** Takes it where it fits. A request of no slot takes none but still needs one to be free. */
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

/** What the machine, or the container around us, has. GPUs and disk are only what one is told. */
function machine(): Resources {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
  const cpuMilli = os.availableParallelism() * 1_000;
  return { ...NOTHING, cpuMilli, memoryMb: Math.floor(bytes / 1_048_576) };
}
