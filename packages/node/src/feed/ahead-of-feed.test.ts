import { parseRunId, type RunId } from '@signalbox/engine';
import { StoreError } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  cancelRun,
  getRun,
  pauseRun,
  resumeRun,
  watchRun,
  watchTenant,
} from '../operations/index.ts';
import { caller, SmallNode } from '../operations/testing/small-node.ts';
import { streamRun } from './run-stream.ts';
import { streamTenant } from './tenant-stream.ts';
import { Client, type Message } from './testing/client.ts';

const nodes: SmallNode[] = [];
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const node of nodes.splice(0).toReversed()) await node.stop();
});

const loop = { partitions: 1 };

function newClient(): Client {
  const client = new Client();
  clients.push(client);
  return client;
}

async function watch(node: SmallNode, lastEventId?: string): Promise<Client> {
  const client = newClient();
  const resume = lastEventId === undefined ? {} : { lastEventId };
  const stream = await watchTenant(node.context, caller(), { ...resume, sink: client });
  void client.closed.then(() => stream.close());
  return client;
}

const kinds = ({ messages }: { messages: readonly Message[] }) => messages.map(({ kind }) => kind);

/** The group that an id of the one partition names. */
const seqOf = (id: string) => Number.parseInt(id.split('.')[1] as string, 36);

/** A node whose feed waits for the name of a run, and another that reads the journal. */
async function setup() {
  const disk = createMemoryStore({ now: () => Date.now() });
  let isAway = true;
  const readRuns: typeof disk.readRuns = async (query) => {
    if (isAway) throw new StoreError('unavailable', 'it is away');
    return disk.readRuns(query);
  };
  const node = await SmallNode.start({ disk, store: { ...disk, readRuns }, loop });
  const other = SmallNode.idle({ disk, loop });
  nodes.push(node, other);
  await node.define('mail');
  const unseen = await node.submit({ job: 'mail' });
  const id = await node.submit({ job: 'mail', delay: 36_000_000 });
  const watcher = await watch(node);
  await vi.waitFor(() => expect(watcher.lastEventId).not.toBe(''), 20_000);
  return {
    ...{ node, other, id },
    from: watcher.lastEventId,
    /** The feed stands still from here on, with whatever comes behind it. */
    hold: () => cancelRun(node.context, caller(), { id: unseen }),
    release: () => {
      isAway = false;
    },
  };
}

describe('a client that is further than the feed of its node', () => {
  it('EXT-20 is not taken back by the stream of a run, and is sent nothing twice', async () => {
    const { node, other, id, from, hold, release } = await setup();
    await hold();
    await pauseRun(node.context, caller(), { id });
    const before = newClient();
    await watchRun(other.context, caller(), { id, lastEventId: from, sink: () => before });
    await before.received(1);
    expect(kinds(before)).toEqual(['runPaused']);
    before.close();
    const client = newClient();
    const run = parseRunId(id) as RunId;
    const guard = await streamRun({
      ...{ context: node.context, feed: node.feed, tenant: 'acme', run },
      view: () => getRun(node.context, caller(), { id }),
      showLine: (line) => line,
      ...{ lastEventId: before.lastEventId, sink: client, heartbeatMs: 5 },
    });
    void client.closed.then(() => guard.close());
    await vi.waitFor(() => expect(client.comments).toBeGreaterThan(1), 20_000);
    expect(seqOf(client.lastEventId)).toBeGreaterThanOrEqual(seqOf(before.lastEventId));
    release();
    await resumeRun(node.context, caller(), { id });
    await client.received(1);
    expect(kinds(client)).toEqual(['runResumed']);
  });

  it('EXT-20 is not taken back by the stream of a tenant, and is sent nothing twice', async () => {
    const { node, other, from, hold, release } = await setup();
    await hold();
    for (let i = 0; i < 3; i++) await node.submit({ job: 'mail' });
    const before = await watch(other, from);
    await before.received(5);
    before.close();
    const client = newClient();
    const common = { context: node.context, feed: node.feed, tenant: 'acme', heartbeatMs: 5 };
    const guard = await streamTenant({
      ...common,
      lastEventId: before.lastEventId,
      sink: client,
    });
    void client.closed.then(() => guard.close());
    await vi.waitFor(() => expect(client.comments).toBeGreaterThan(1), 20_000);
    expect(seqOf(client.lastEventId)).toBeGreaterThanOrEqual(seqOf(before.lastEventId));
    release();
    const last = await node.submit({ job: 'mail' });
    await client.received(1);
    expect(client.messages.map(({ data }) => data.run)).toEqual([last]);
    // The one partition has one place.
    expect(client.messages[0]?.id).not.toContain('-');
    const { comments } = client;
    await vi.waitFor(() => expect(client.comments).toBeGreaterThan(comments + 1), 20_000);
    const next = await node.submit({ job: 'mail' });
    await client.received(2);
    expect(client.messages.map(({ data }) => data.run)).toEqual([last, next]);
  });

  it('EXT-20 is sent nothing twice where the feed gives up its wait', async () => {
    const { node, other, from, hold } = await setup();
    await hold();
    for (let i = 0; i < 3; i++) await node.submit({ job: 'mail' });
    const before = await watch(other, from);
    await before.received(5);
    before.close();
    const client = await watch(node, before.lastEventId);
    const ids: string[] = [];
    for (let i = 0; i < 120; i++) ids.push(await node.submit({ job: 'mail' }));
    await client.received(120);
    expect(client.messages.map(({ data }) => data.run)).toEqual(ids);
  });
});
