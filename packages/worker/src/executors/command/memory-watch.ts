import { readFileSync } from 'node:fs';
import type { ProcessTree } from './process-tree.ts';

/**
 * Looks at the resident memory of the whole tree again and again: it needs no rights and works
 * wherever there is a /proc. Memory that is shared between processes counts for each of them.
 */
export class MemoryWatch {
  exceeded = false;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  readonly #params: { tree: ProcessTree; bytesMax: number; pollMs: number };

  constructor(params: { tree: ProcessTree; bytesMax: number; pollMs: number }) {
    this.#params = params;
    this.#arm();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #arm(): void {
    this.#timer = setTimeout(() => void this.#look(), this.#params.pollMs);
  }

  async #look(): Promise<void> {
    const { tree, bytesMax, pollMs } = this.#params;
    const bytes = await tree.residentBytes(pollMs / 2);
    if (this.#stopped) return;
    if (bytes > bytesMax) {
      this.exceeded = true;
      await tree.signal('SIGKILL');
    }
    if (!this.#stopped) this.#arm();
  }
}

/** How often the kernel has killed for want of memory since the machine started. */
export function outOfMemoryKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
