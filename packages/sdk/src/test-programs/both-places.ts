import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningNode, startNode } from '@signalbox/node';
import { Signalbox } from '../index.ts';

/** A box of its own on a file, and one that talks to a node: what a test says holds of both. */
export class BothPlaces {
  readonly key = randomBytes(24).toString('base64url');
  readonly places = [
    { name: 'embedded', open: () => Signalbox.open(`file:${join(this.#folder, 'embedded.db')}`) },
    { name: 'remote', open: () => this.connect(this.key) },
  ];
  #folder = '';
  #node: RunningNode | null = null;

  get url(): string {
    return this.#node?.url as string;
  }

  async start(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'signalbox-sdk-'));
    const store = `file:${join(this.#folder, 'node.db')}`;
    const http = { host: '127.0.0.1', port: 0 };
    this.#node = await startNode({ store, http, rootKey: this.key });
    await this.#node.ready();
  }

  connect(key: string): Promise<Signalbox> {
    return Signalbox.connect(this.url, { key });
  }

  async stop(): Promise<void> {
    await this.#node?.stop();
    await rm(this.#folder, { recursive: true });
  }
}
