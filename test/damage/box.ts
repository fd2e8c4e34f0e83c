import {
  type Caller,
  connectInProcess,
  type NodeOptions,
  type RunningNode,
  startNode,
} from '@signalbox/node';
import { makeLog } from '@signalbox/node/log';
import { defineJob, getRun } from '@signalbox/node/operations';
import type { JobDefinition, RunView } from '@signalbox/protocol';
import { Worker } from '@signalbox/worker';

export const TENANT = 'default';
export const PARTITIONS = 4;
const WAIT_MS = 30_000;

export const CALLER: Caller = {
  ...{ key: 'root', tenant: TENANT, role: 'admin' as const, platform: true },
  ...{ ip: '', requestId: 'damage' },
};

export const JOBS: Readonly<Record<string, JobDefinition>> = {
  echo: { tasks: [{ handler: 'one' }] },
  other: { tasks: [{ handler: 'one' }] },
  waiting: { tasks: [{ handler: 'one' }] },
  pair: {
    tasks: [
      { name: 'first', handler: 'one' },
      { name: 'second', handler: 'two' },
    ],
  },
};

/** A node and, if wanted, a worker, in this process. */
export class Box {
  readonly node: RunningNode;
  /** Inputs that handlers received and nobody submitted. */
  readonly wrongInputs: unknown[] = [];
  #worker: Worker | null = null;

  private constructor(node: RunningNode) {
    this.node = node;
  }

  static async open(
    store: string,
    options: Pick<NodeOptions, 'dataDir' | 'engine' | 'loop'> = {},
    log = makeLog({ level: 'silent', format: 'json' }),
  ): Promise<Box> {
    const node = await startNode({
      store,
      http: false,
      partitions: PARTITIONS,
      ...options,
      loop: { inboxPollMs: 20, ...options.loop },
      log,
      onFatal: () => {},
    });
    await node.ready();
    return new Box(node);
  }

  async define(): Promise<void> {
    for (const [name, definition] of Object.entries(JOBS)) {
      await defineJob(this.node.context, CALLER, { name, definition });
    }
  }

  async work(): Promise<void> {
    this.#worker = new Worker({
      transport: connectInProcess(this.node.gateway),
      blobs: this.node.context.blobs,
      name: 'worker',
      handlers: {
        one: async (input) => {
          if (!isSubmitted(input)) this.wrongInputs.push(input);
          return 1;
        },
        two: async () => 2,
      },
    });
    await this.#worker.start();
  }

  read(id: string): Promise<RunView> {
    return getRun(this.node.context, CALLER, { id });
  }

  wait(id: string): Promise<RunView> {
    return getRun(this.node.context, CALLER, { id, waitMs: WAIT_MS });
  }

  async close(): Promise<void> {
    await this.#worker?.stop({ graceMs: 0 });
    await this.node.stop();
  }
}

/** More than the journal keeps itself: it goes into a blob. */
export function largeInput(n: number): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ n, pad: 'x'.repeat(PAD) }));
}

const PAD = 300_000;

function isSubmitted(input: unknown): boolean {
  if (input === null || input === undefined) return true;
  const { n, pad } = input as { n?: unknown; pad?: unknown };
  return typeof n === 'number' && (pad === undefined || pad === 'x'.repeat(PAD));
}
