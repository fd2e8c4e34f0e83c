import type { History } from './history.ts';
import type { ModelOptions, Random } from './options.ts';
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

  async runUntil(endAt: number): Promise<void> {
    for (;;) {
      await pause(this.#options.faultEveryMs * (0.5 + this.#random.next()));
      if (Date.now() >= endAt) return;
      await this.#one();
    }
  }

  async #one(): Promise<void> {
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
    this.#history.faults.push({ what, at: Date.now() });
    const node = nodes[this.#random.int(nodes.length)];
    const worker = workers[this.#random.int(workers.length)];
    const process = what.startsWith('node') ? node : worker;
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
        await pause(500 + this.#random.int(9_000));
        process?.signal('SIGCONT');
        return;
      case 'database.restart':
        await database?.stop();
        await pause(this.#random.int(3_000));
        await database?.start();
        return;
      default:
        database?.signalBackends('SIGSTOP');
        await pause(500 + this.#random.int(9_000));
        database?.signalBackends('SIGCONT');
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
