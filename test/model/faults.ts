import type { History } from './history.ts';
import type { ModelOptions, Random } from './options.ts';
import type { Process } from './processes.ts';
import type { System } from './system.ts';

/** Faults of processes, one at a time; each heals what it broke before it returns. */
export class Faults {
  readonly #system: System;
  readonly #random: Random;
  readonly #history: History;
  readonly #options: ModelOptions;

  constructor(params: {
    system: System;
    random: Random;
    history: History;
    options: ModelOptions;
  }) {
    this.#system = params.system;
    this.#random = params.random;
    this.#history = params.history;
    this.#options = params.options;
  }

  /** One at least, also where the time is short. */
  async runUntil(endAt: number): Promise<void> {
    do {
      await pause(this.#options.faultEveryMs * (0.5 + this.#random.next()));
      await this.#injectOne();
    } while (Date.now() < endAt);
  }

  async #injectOne(): Promise<void> {
    const { nodes, workers, database } = this.#system;
    const kinds = [
      'node.kill',
      'node.kill',
      'node.pause',
      'node.end',
      'worker.kill',
      'worker.pause',
    ];
    if (database !== null) kinds.push('database.restart', 'database.stall');
    const what = kinds[this.#random.int(kinds.length)] as string;
    const node = nodes[this.#random.int(nodes.length)];
    const worker = workers[this.#random.int(workers.length)];
    const process = what.startsWith('node') ? node : worker;
    const target = what.startsWith('database') ? 'database' : (process?.name ?? '');
    const from = Date.now();
    await this.#inject(what, process);
    this.#history.faults.push({ what, target, from, until: Date.now() });
  }

  async #inject(what: string, process: Process | undefined): Promise<void> {
    const { database } = this.#system;
    switch (what) {
      case 'node.kill':
      case 'worker.kill':
        await process?.end('SIGKILL');
        process?.start();
        return;
      case 'node.end':
        await process?.end('SIGTERM');
        process?.start();
        return;
      case 'node.pause':
      case 'worker.pause':
        process?.signal('SIGSTOP');
        await pause(500 + this.#random.int(this.#options.pauseMsMax));
        process?.signal('SIGCONT');
        return;
      case 'database.restart':
        await database?.stop();
        await pause(this.#random.int(3_000));
        await database?.start();
        return;
      default:
        database?.signalBackends('SIGSTOP');
        await pause(500 + this.#random.int(this.#options.pauseMsMax));
        database?.signalBackends('SIGCONT');
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
