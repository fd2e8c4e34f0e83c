import { parseRunId, preferredOwner, type RunId } from '@signalbox/engine';
import { StoreError } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cancelRun, getRun, watchRun, watchTenant } from '../operations/index.ts';
import { caller, HOLD, SmallNode, SUCCEED } from '../operations/testing/small-node.ts';
import { streamRun } from './run-stream.ts';
import { BUFFER_MAX } from './sink.ts';
import { streamTenant } from './tenant-stream.ts';
import { Client } from './testing/client.ts';

const nodes: SmallNode[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0).toReversed()) await node.stop();
});

async function startNode(params: Parameters<typeof SmallNode.start>[0] = {}): Promise<SmallNode> {
  const node = await SmallNode.start(params);
  nodes.push(node);
  return node;
}

async function watch(node: SmallNode, lastEventId?: string, client = new Client()) {
  const resume = lastEventId === undefined ? {} : { lastEventId };
  const stream = await watchTenant(node.context, caller(), { ...resume, sink: client });
  void client.closed.then(() => stream.close());
  return client;
}

/** The id that a client has before anything happens. */
async function firstId(node: SmallNode): Promise<string> {
  const client = await watch(node);
  await vi.waitFor(() => expect(client.lastEventId).not.toBe(''), 20_000);
  client.close();
  return client.lastEventId;
}

const submitted = (...clients: readonly Client[]): string[] =>
  clients
    .flatMap(({ messages }) => messages)
    .filter(({ kind }) => kind === 'runSubmitted')
    .map(({ data }) => data.run as string)
    .sort();

/** Takes nothing until it is let: whoever sends has to wait in the middle. */
class SlowClient extends Client {
  override bufferedBytes = BUFFER_MAX / 4;
  #open: () => void = () => {};
  readonly #gate = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  override drained(): Promise<void> {
    return this.#gate;
  }

  override close(): void {
    super.close();
    this.#open();
  }
}

describe('a stream of a tenant that is resumed', () => {
  it('EXT-20 has lost nothing where a heartbeat came in the middle of what it missed', async () => {
    const node = await startNode();
    await node.define('mail');
    const from = await firstId(node);
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push(await node.submit({ job: 'mail' }));
    const slow = new SlowClient();
    const { context, feed } = node;
    const common = { context, feed, tenant: 'acme' };
    const streaming = streamTenant({ ...common, lastEventId: from, sink: slow, heartbeatMs: 5 });
    await vi.waitFor(() => expect(slow.comments).toBeGreaterThan(1), 20_000);
    expect(slow.messages.length).toBeLessThan(20);
    slow.close();
    (await streaming).close();
    const again = await watch(node, slow.lastEventId);
    await again.received(20 - slow.messages.length);
    expect(submitted(slow, again)).toEqual(ids.sort());
  });

  it('EXT-20 is reset where its id is ahead of the journal, and continues', async () => {
    const node = await startNode({ loop: { partitions: 1 } });
    await node.define('mail');
    for (const id of ['0.zzzz', '0.zzzz.1', '5.1']) {
      const client = await watch(node, id);
      await client.received(1);
      const run = await node.submit({ job: 'mail' });
      await client.received(2);
      expect(client.messages.map(({ kind }) => kind)).toEqual(['reset', 'runSubmitted']);
      expect(submitted(client)).toEqual([run]);
    }
  });

  it('EXT-20 is sent what it missed by a node that owns nothing yet, and what follows', async () => {
    const first = await startNode();
    const jobs = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const job of jobs) await first.define(job, { tasks: [{ name: 'a', handler: 'mail' }] });
    const from = await firstId(first);
    const ids: string[] = [];
    for (const job of jobs) ids.push(await first.submit({ job }));
    const second = SmallNode.idle({ disk: first.disk });
    nodes.push(second);
    const client = await watch(second, from);
    await client.received(jobs.length);
    expect(submitted(client)).toEqual([...ids].sort());
    // Now the first goes on alone, and is gone before the second takes over.
    for (const job of jobs) ids.push(await first.submit({ job }));
    await first.stop();
    await second.context.loop.start();
    await client.received(2 * jobs.length);
    for (const job of jobs) ids.push(await second.submit({ job }));
    await client.received(3 * jobs.length);
    expect(submitted(client)).toEqual([...ids].sort());
    expect(client.messages).toHaveLength(ids.length);
  });

  it('EXT-20 goes on with partitions that its node lost and got back', async () => {
    const loop = { beatMs: 30 };
    // By these names each node gets some of the four partitions.
    const first = await startNode({ loop, name: 'first' });
    const jobs = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    for (const job of jobs) await first.define(job);
    const client = await watch(first);
    const second = SmallNode.idle({ disk: first.disk, loop, name: 'second' });
    nodes.push(second);
    await second.context.loop.start();
    const owned = (node: SmallNode) => [0, 1, 2, 3].filter((p) => node.context.loop.owns(p));
    await vi.waitFor(() => {
      expect(owned(second)).not.toEqual([]);
      expect(owned(first).length + owned(second).length).toBe(4);
    }, 20_000);
    const ids: string[] = [];
    for (const job of jobs) ids.push(await second.submit({ job }));
    // Those that the second does not own are in the inbox until the first takes them.
    await second.stop();
    await vi.waitFor(() => expect(owned(first)).toHaveLength(4), 20_000);
    await vi.waitFor(() => expect(submitted(client)).toHaveLength(jobs.length), 20_000);
    expect(new Set(submitted(client)).size).toBe(jobs.length);
    const resumed = await watch(first, client.lastEventId);
    const last = await first.submit({ job: 'a' });
    await resumed.received(1);
    expect(submitted(resumed)).toEqual([last]);
  }, 30_000);
});

describe('a stream', () => {
  it('EXT-20 of a tenant reads from the journal what it cannot name in time', async () => {
    const disk = createMemoryStore({ now: () => Date.now() });
    const readRuns = async (): Promise<never> => {
      throw new StoreError('unavailable', 'it is away');
    };
    const node = await startNode({
      disk,
      store: { ...disk, readRuns },
      loop: { partitions: 1 },
    });
    await node.define('mail');
    const id = await node.submit({ job: 'mail' });
    const client = await watch(node);
    // It ends without having been seen by the feed, and its name cannot be read.
    await cancelRun(node.context, caller(), { id });
    const ids: string[] = [];
    for (let i = 0; i < 120; i++) ids.push(await node.submit({ job: 'mail' }));
    await vi.waitFor(() => expect(submitted(client)).toHaveLength(120), 20_000);
    expect(submitted(client)).toEqual(ids.sort());
    const kinds = client.messages.filter(({ data }) => data.run === id).map(({ kind }) => kind);
    expect(kinds).toEqual(['runCancelRequested', 'runEnded']);
  });

  it('a wait for the end of a run goes on when its node loses the partition', async () => {
    const loop = { partitions: 1, beatMs: 30 };
    const first = await startNode({ loop, name: 'first' });
    await first.define('mail');
    const id = await first.submit({ job: 'mail', delay: 36_000_000 });
    const waited = getRun(first.context, caller(), { id, waitMs: 60_000 });
    const name = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].find(
      (each) => preferredOwner(0, ['first', each]) === each,
    ) as string;
    const second = await startNode({ disk: first.disk, loop, name });
    await cancelRun(second.context, caller(), { id });
    expect(await waited).toMatchObject({ state: 'CANCELLED' });
  }, 20_000);

  it('EXT-20 of a run names tasks by which the run grows while it is watched', async () => {
    const loop = { partitions: 1 };
    const node = await startNode({ loop });
    const other = SmallNode.idle({ disk: node.disk, loop });
    nodes.push(other);
    await node.define('graph', {
      tasks: [
        { name: 'list', handler: 'graph' },
        { name: 'each', handler: 'graph', after: ['list'], fanOut: { from: 'list' } },
      ],
    });
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'graph' });
    await node.arrived(1);
    const clients = [new Client(), new Client()];
    for (const [i, each] of [node, other].entries()) {
      await watchRun(each.context, caller(), { id, sink: () => clients[i] as Client });
    }
    const output = new TextEncoder().encode('3');
    node.finish(node.attempts[0] as never, { kind: 'succeeded', output });
    await node.arrived(4);
    const place = { task: 3, attempt: 1, number: 1, atMs: Date.now() };
    const line = { tenant: 'acme', run: parseRunId(id) as RunId, ...place, stream: 'stdout' };
    await node.disk.appendLogs([{ ...line, text: 'one' }]);
    node.print({ ...line, text: 'one' });
    for (const client of clients) {
      const logs = () => client.messages.filter(({ kind }) => kind === 'log');
      await vi.waitFor(() => expect(logs()).toHaveLength(1), 10_000);
      expect(logs()[0]?.data.task).toBe('each_chunk_1');
      client.close();
    }
  });
});

describe('a stream of a run that is resumed', () => {
  const COUNT = 10_100;

  /** A run with more lines than one read has, each of them long. */
  async function talkative(node: SmallNode, text = ''): Promise<{ id: string; fromMs: number }> {
    await node.define('mail');
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'mail' });
    await node.arrived(1);
    const run = parseRunId(id) as RunId;
    const fromMs = Date.now() - 10 * COUNT;
    const lines = Array.from({ length: COUNT }, (_, number) => {
      const place = { task: 0, attempt: 1, number, atMs: fromMs + 10 * number };
      return { tenant: 'acme', run, ...place, stream: 'stdout', text: `${number}${text}` };
    });
    await node.disk.appendLogs(lines);
    return { id, fromMs };
  }

  async function watchOne(node: SmallNode, id: string, lastEventId?: string): Promise<Client> {
    const client = new Client();
    const resume = lastEventId === undefined ? {} : { lastEventId };
    await watchRun(node.context, caller(), { id, ...resume, sink: () => client });
    return client;
  }

  const numbers = (client: Client): Set<number> =>
    new Set(client.messages.filter(({ kind }) => kind === 'log').map(({ data }) => data.number));

  it('EXT-20 is sent the lines behind the first ten thousand, by the owner and by another', async () => {
    const node = await startNode({ loop: { partitions: 1 } });
    const { id, fromMs } = await talkative(node);
    const other = SmallNode.idle({ disk: node.disk, loop: { partitions: 1 } });
    nodes.push(other);
    const fresh = await watchOne(node, id);
    await fresh.received(1);
    fresh.close();
    const seen = COUNT - 100;
    const lastEventId = `${fresh.lastEventId}~${(fromMs + 10 * seen).toString(36)}`;
    for (const each of [node, other]) {
      const again = await watchOne(each, id, lastEventId);
      await vi.waitFor(() => expect(numbers(again)).toContain(COUNT - 1), 20_000);
      // Those of the last second come again, all before are known.
      expect(numbers(again).size).toBe(COUNT - seen + 100);
      again.close();
    }
  });

  it('EXT-20 is sent megabytes of lines, and its end', async () => {
    const node = await startNode({ loop: { partitions: 1 } });
    const { id } = await talkative(node, 'x'.repeat(1_000));
    const fresh = await watchOne(node, id);
    await fresh.received(1);
    fresh.close();
    node.finish(node.attempts[0] as never, { kind: 'succeeded', output: null });
    const again = await watchOne(node, id, fresh.lastEventId);
    await again.closed;
    expect(numbers(again).size).toBe(COUNT);
    expect(again.messages.at(-1)?.kind).toBe('end');
  });

  it('EXT-20 has lost nothing where a heartbeat came in the middle of what it missed', async () => {
    const node = await startNode({ loop: { partitions: 1 } });
    await node.define('mail');
    node.attach('w', SUCCEED);
    const id = await node.submit({ job: 'mail', delay: 200 });
    const run = parseRunId(id) as RunId;
    const fresh = await watchOne(node, id);
    const all = ['state', 'taskAssigned', 'taskStarted', 'runEnded', 'end'];
    await fresh.closed;
    expect(fresh.messages.map(({ kind }) => kind)).toEqual(all);
    const slow = new SlowClient();
    const streaming = streamRun({
      context: node.context,
      feed: node.feed,
      tenant: 'acme',
      run,
      view: () => Promise.resolve({ state: 'SUCCEEDED' } as never),
      showLine: (line) => line,
      lastEventId: fresh.messages[0]?.id as string,
      sink: slow,
      heartbeatMs: 5,
    });
    await vi.waitFor(() => expect(slow.comments).toBeGreaterThan(1), 20_000);
    slow.close();
    await streaming;
    const again = await watchOne(node, id, slow.lastEventId);
    await again.closed;
    const kinds = [...slow.messages, ...again.messages].map(({ kind }) => kind);
    expect(kinds).toEqual(all.slice(1));
  });

  it('EXT-20 is sent its end by a node whose feed cannot name the run yet', async () => {
    const disk = createMemoryStore({ now: () => Date.now() });
    const readRuns = async (): Promise<never> => {
      throw new StoreError('unavailable', 'it is away');
    };
    const node = await startNode({ disk, store: { ...disk, readRuns }, loop: { partitions: 1 } });
    await node.define('mail');
    const id = await node.submit({ job: 'mail' });
    const first = await watchOne(node, id);
    await first.received(1);
    first.close();
    const watching = await watch(node);
    await cancelRun(node.context, caller(), { id });
    const again = await watchOne(node, id, first.lastEventId);
    await again.closed;
    const kinds = again.messages.map(({ kind }) => kind);
    expect(kinds).toEqual(['runCancelRequested', 'runEnded', 'end']);
    watching.close();
  });

  it('EXT-20 is reset where its id cannot be read, by the owner and by another', async () => {
    const node = await startNode({ loop: { partitions: 1 } });
    await node.define('mail');
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'mail' });
    const other = SmallNode.idle({ disk: node.disk, loop: { partitions: 1 } });
    nodes.push(other);
    // The last one is an id of another partition's stream.
    for (const lastEventId of ['x', '', 'not-an-id~1', '5.1']) {
      for (const each of [node, other]) {
        const client = await watchOne(each, id, lastEventId);
        await client.received(2);
        expect(client.messages.slice(0, 2).map(({ kind }) => kind)).toEqual(['reset', 'state']);
        client.close();
      }
    }
  });

  it('is reset where its id is ahead of the journal', async () => {
    const node = await startNode({ loop: { partitions: 1 } });
    await node.define('mail');
    const id = await node.submit({ job: 'mail' });
    const client = await watchOne(node, id, '0.zzzz~zzzzzzzzzz');
    await client.received(2);
    expect(client.messages.map(({ kind }) => kind)).toEqual(['reset', 'state']);
    client.close();
  });

  it('EXT-20 is cut off when its node loses the partition, and resumes from the journal', async () => {
    const loop = { partitions: 1, beatMs: 30 };
    const node = await startNode({ loop });
    await node.define('mail');
    const id = await node.submit({ job: 'mail', delay: 36_000_000 });
    const client = await watchOne(node, id);
    await client.received(1);
    const { held } = node.context.loop.leases;
    await node.disk.releaseLease({
      partition: 0,
      owner: (await node.disk.listLeases())[0]?.owner as string,
      epoch: held.get(0)?.epoch as number,
    });
    const taken = { partition: 0, owner: 'another', ttlMs: 60_000, commitId: 'another/fence' };
    await node.disk.acquireLease(taken);
    await client.closed;
    const again = await watchOne(node, id, client.lastEventId);
    expect(again.isClosed).toBe(false);
    again.close();
  });
});
