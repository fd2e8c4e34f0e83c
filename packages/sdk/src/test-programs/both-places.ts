import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningNode, startNode } from '@signalbox/node';
import { afterAll, beforeAll } from 'vitest';
import { Signalbox } from '../index.ts';

/** A box of its own on a file, and one that talks to a node: what a test says holds of both. */
export function bothPlaces() {
  let folder: string;
  let node: RunningNode;
  const key = randomBytes(24).toString('base64url');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signalbox-sdk-'));
    const http = { host: '127.0.0.1', port: 0 };
    node = await startNode({ store: `file:${join(folder, 'node.db')}`, http, rootKey: key });
    await node.ready();
  });

  afterAll(async () => {
    await node.stop();
    await rm(folder, { recursive: true });
  });

  const connect = (own: string) => Signalbox.connect(node.url as string, { key: own });
  return {
    key,
    connect,
    places: [
      { name: 'embedded', open: () => Signalbox.open(`file:${join(folder, 'embedded.db')}`) },
      { name: 'remote', open: () => connect(key) },
    ],
  };
}
