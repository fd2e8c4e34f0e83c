import { type NodeOptions, startNode } from '@signalbox/node';
import type { JobDefinition } from '@signalbox/protocol';
import type { Store } from '@signalbox/store';
import { pino } from 'pino';
import { runCommand } from '../program.ts';
import type { Result } from './child.ts';
import { type FakeApp, fakeApp } from './fake-app.ts';

const KEY = 'Zk3vQ9xT7mB2wR8nL5cJ1hD6gF4sA0pE';

/** A real node in memory, and the command beside it. */
export class CommandNode {
  readonly key = KEY;
  readonly #node: Awaited<ReturnType<typeof startNode>>;

  private constructor(node: Awaited<ReturnType<typeof startNode>>) {
    this.#node = node;
  }

  static async start(options: Partial<NodeOptions> = {}): Promise<CommandNode> {
    const node = await startNode({
      store: 'memory:',
      http: { host: '127.0.0.1', port: 0 },
      rootKey: KEY,
      log: pino({ level: 'silent' }),
      onFatal: () => {},
      ...options,
    });
    await node.ready();
    return new CommandNode(node);
  }

  get url(): string {
    return this.#node.url as string;
  }

  get store(): Store {
    return this.#node.context.store;
  }

  async define(name: string, definition: JobDefinition = {}): Promise<void> {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const body = JSON.stringify(definition);
    const path = `${this.url}/api/v1/jobs/${name}`;
    const { status } = await fetch(path, { method: 'PUT', headers, body });
    if (status !== 201) throw new Error(`the job ${name} was answered with ${status}`);
  }

  app(params: Parameters<typeof fakeApp>[0] = {}): FakeApp {
    const environment = { SIGNALBOX_URL: this.url, SIGNALBOX_KEY: KEY };
    return fakeApp({ environment, ...params });
  }

  /** Runs a command to its end, in a folder or on a terminal where that is told. */
  async run(args: readonly string[], params: Parameters<typeof fakeApp>[0] = {}): Promise<Result> {
    const app = this.app(params);
    const code = await runCommand(app, args);
    return { code, ...app.texts };
  }

  stop(): Promise<void> {
    return this.#node.stop();
  }
}
