import { parseRunId, type RunId } from '@signalbox/engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  cancelRun,
  defineJob,
  getRun,
  submitRuns,
  watchRun,
  watchTenant,
} from '../operations/index.ts';
import { caller, HOLD, SmallNode, SUCCEED } from '../operations/testing/small-node.ts';
import { BUFFER_MAX } from './sink.ts';
import { streamTenant } from './tenant-stream.ts';
import { Client } from './testing/client.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
  await node.define('mail');
  await node.define('graph', {
    tasks: [
      { name: 'a', handler: 'graph' },
      { name: 'b', handler: 'graph', after: ['a'] },
    ],
  });
});
afterEach(() => node.stop());

async function watch(lastEventId?: string, more: object = {}): Promise<Client> {
  const client = new Client();
  const resume = lastEventId === undefined ? {} : { lastEventId };
  const stream = await watchTenant(node.context, caller(), { ...more, ...resume, sink: client });
  void client.closed.then(() => stream.close());
  return client;
}

const ended = (id: string) => getRun(node.context, caller(), { id, waitMs: 10_000 });
const brief = (client: Client) =>
  client.messages.map(
    ({ kind, data }) => `${kind} ${data.run} ${data.task ?? ''} ${data.state ?? ''}`,
  );

describe('the stream of a tenant', () => {
  it('EXT-20 tells the life of a run in order, with names, and nothing of other tenants', async () => {
    const client = await watch();
    const other = caller({ tenant: 'other' });
    await defineJob(node.context, other, { name: 'mail', definition: {} });
    await submitRuns(node.context, other, { items: [{ job: 'mail' }] });
    node.attach('w', SUCCEED);
    const id = await node.submit({ job: 'graph' });
    await ended(id);
    await client.received(7);
    expect(client.messages.map(({ kind, data }) => [kind, data.task, data.state])).toEqual([
      ['runSubmitted', undefined, 'PENDING'],
      ['taskAssigned', `${id}:a`, 'ASSIGNED'],
      ['taskStarted', `${id}:a`, 'RUNNING'],
      ['taskSucceeded', `${id}:a`, 'SUCCEEDED'],
      ['taskAssigned', `${id}:b`, 'ASSIGNED'],
      ['taskStarted', `${id}:b`, 'RUNNING'],
      ['runEnded', undefined, 'SUCCEEDED'],
    ]);
    expect(new Set(client.messages.map(({ data }) => data.job))).toEqual(new Set(['graph']));
    expect(client.messages.at(-1)?.data.detail.tasks).toEqual([
      { name: 'a', state: 'SUCCEEDED' },
      { name: 'b', state: 'SUCCEEDED' },
    ]);
  });

  it('EXT-20 a client that was cut off anywhere resumes: every event once, the same as live', async () => {
    const steady = await watch();
    node.attach('w', SUCCEED);
    const ids: string[] = [];
    for (let i = 0; i < 6; i++)
      ids.push(await node.submit({ job: i % 2 === 0 ? 'mail' : 'graph' }));
    for (const id of ids) await ended(id);
    await node.submit({ job: 'mail', delay: 60_000 });
    await steady.received(3 * 4 + 3 * 7 + 1);
    const all = brief(steady);
    expect(all).toHaveLength(34);
    for (const cut of steady.messages.keys()) {
      const resumed = await watch(steady.messages[cut]?.id);
      await resumed.received(steady.messages.length - cut - 1);
      const got = [...all.slice(0, cut + 1), ...brief(resumed)];
      expect([...got].sort(), `cut after ${cut}`).toEqual([...all].sort());
      const data = (messages: typeof steady.messages) =>
        messages.map((message) => JSON.stringify(message.data)).sort();
      expect(data(resumed.messages)).toEqual(data(steady.messages.slice(cut + 1)));
      resumed.close();
    }
  });

  it('EXT-20 resumes after a restart of the node, and goes on live', async () => {
    const first = await watch();
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'mail' });
    await node.arrived(1);
    await first.received(3);
    first.close();
    const unseen = await node.submit({ job: 'graph', delay: 36_000_000 });
    await cancelRun(node.context, caller(), { id: unseen });
    await node.stop();
    node = await SmallNode.start({ disk: node.disk });
    const again = await watch(first.messages[1]?.id);
    await again.received(3);
    expect(again.messages.map(({ kind, data }) => [kind, data.run])).toEqual(
      expect.arrayContaining([
        ['taskStarted', id],
        ['runSubmitted', unseen],
        ['runEnded', unseen],
      ]),
    );
    const before = again.messages.length;
    const later = await node.submit({ job: 'mail' });
    await again.received(before + 1);
    expect(again.messages.at(-1)).toMatchObject({ kind: 'runSubmitted', data: { run: later } });
    expect(new Set(brief(again)).size).toBe(again.messages.length);
  });

  it('EXT-20 tells a client that comes with an id it cannot use to read anew', async () => {
    const client = await watch('not-an-id!');
    await client.received(1);
    expect(client.messages[0]?.kind).toBe('reset');
    const id = await node.submit({ job: 'mail' });
    await client.received(2);
    expect(client.messages[1]?.data.run).toBe(id);
  });

  it('shows one job only, if asked for', async () => {
    const client = await watch(undefined, { job: 'mail' });
    await node.submit({ job: 'graph' });
    const id = await node.submit({ job: 'mail' });
    await client.received(1);
    expect(client.messages.map(({ data }) => data.run)).toEqual([id]);
  });

  it('keeps the line alive, and a heartbeat moves the id on', async () => {
    const client = new Client();
    const { context, feed } = node;
    const stream = await streamTenant({
      context,
      feed,
      tenant: 'idle',
      sink: client,
      heartbeatMs: 5,
    });
    const before = await new Promise<string>((resolve) =>
      setImmediate(() => resolve(client.lastEventId)),
    );
    await node.submit({ job: 'mail' });
    await vi.waitFor(() => {
      expect(client.comments).toBeGreaterThanOrEqual(2);
      expect(client.lastEventId).not.toBe(before);
    }, 20_000);
    expect(client.messages).toEqual([]);
    stream.close();
  });

  it('cuts a client that does not read', async () => {
    const client = await watch();
    client.bufferedBytes = BUFFER_MAX + 1;
    await node.submit({ job: 'mail' });
    await client.closed;
    expect(client.isClosed).toBe(true);
  });

  it('names runs that have left memory before their facts were told', async () => {
    const id = await node.submit({ job: 'mail' });
    const client = await watch();
    // Its end is decided with the cancellation: no fact of it finds it in memory.
    await cancelRun(node.context, caller(), { id, reason: 'no need' });
    await client.received(2);
    expect(client.messages.map(({ kind, data }) => [kind, data.run, data.job])).toEqual([
      ['runCancelRequested', id, 'mail'],
      ['runEnded', id, 'mail'],
    ]);
  });

  it('EXT-20 a thousand watchers hear of what is theirs, and none is left when they go', async () => {
    const heard = Array.from({ length: 1_000 }, () => 0);
    const stops = heard.map((_, i) =>
      node.feed.watch({ tenant: i % 2 === 0 ? 'acme' : 'other' }, () => {
        heard[i] = (heard[i] ?? 0) + 1;
      }),
    );
    await node.submit({ job: 'mail' });
    expect(heard.filter((count) => count === 1)).toHaveLength(500);
    for (const stop of stops) stop();
    await node.submit({ job: 'mail' });
    expect(heard.filter((count) => count > 1)).toHaveLength(0);
  });
});

describe('the stream of a run', () => {
  async function watchOne(id: string, lastEventId?: string): Promise<Client> {
    const client = new Client();
    const resume = lastEventId === undefined ? {} : { lastEventId };
    await watchRun(node.context, caller(), { id, ...resume, sink: () => client });
    return client;
  }

  it('EXT-20 begins with the run as it is, tells its facts, and ends with it', async () => {
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'mail' });
    await node.arrived(1);
    const client = await watchOne(id);
    await node.submit({ job: 'mail' });
    node.finish(node.attempts[0] as never, { kind: 'succeeded', output: null });
    await client.closed;
    const kinds = client.messages.map(({ kind }) => kind);
    expect(kinds[0]).toBe('state');
    expect(kinds.slice(-2)).toEqual(['runEnded', 'end']);
    expect(new Set(client.messages.slice(1, -1).map(({ data }) => data.run))).toEqual(
      new Set([id]),
    );
    // Resumed from any point it tells the rest, once, and ends.
    for (const [cut, message] of client.messages.slice(0, -1).entries()) {
      const resumed = await watchOne(id, message.id);
      await resumed.closed;
      expect(resumed.messages.map(({ kind }) => kind)).toEqual(kinds.slice(cut + 1));
    }
  });

  it('of an ended run tells the end at once; of a stranger nothing', async () => {
    node.attach('w', SUCCEED);
    const id = await node.submit({ job: 'mail' });
    await ended(id);
    const client = await watchOne(id);
    await client.closed;
    expect(client.messages.map(({ kind }) => kind)).toEqual(['state', 'end']);
    await expect(
      watchRun(node.context, caller({ tenant: 'other' }), { id, sink: () => new Client() }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('EXT-20 carries log lines, and after a reconnect those that came meanwhile', async () => {
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'mail' });
    await node.arrived(1);
    const run = parseRunId(id) as RunId;
    const line = (number: number, text: string) => ({
      tenant: 'acme',
      run,
      task: 0,
      attempt: 1,
      number,
      atMs: 10_000 * number,
      stream: 'stdout',
      text,
    });
    const client = await watchOne(id);
    node.print(line(1, 'one'));
    node.print({ ...line(1, 'not ours'), run: { ...run, seq: run.seq + 1 } });
    node.print(line(2, 'two'));
    node.finish(node.attempts[0] as never, { kind: 'succeeded', output: null });
    await client.closed;
    const logs = (of: Client) => of.messages.filter(({ kind }) => kind === 'log');
    expect(logs(client).map(({ data }) => [data.task, data.number, data.text])).toEqual([
      ['main', 1, 'one'],
      ['main', 2, 'two'],
    ]);
    await node.disk.appendLogs([line(1, 'one'), line(2, 'two'), line(3, 'three')]);
    const ending = client.messages.find(({ kind }) => kind === 'runEnded');
    const resumed = await watchOne(id, ending?.id);
    await resumed.closed;
    expect(logs(resumed).map(({ data }) => data.number)).toEqual([3]);
  });

  it('EXT-20 resumes behind each log line, without that line and without a loss', async () => {
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'mail' });
    await node.arrived(1);
    const run = parseRunId(id) as RunId;
    // Lines of one moment, of two attempts.
    const lines = [1, 2, 3, 4, 5, 6].map((n) => ({
      ...{ tenant: 'acme', run, task: 0, attempt: 1 + (n % 2), number: Math.ceil(n / 2) },
      ...{ atMs: 50_000 + n, stream: 'stdout', text: `${n}` },
    }));
    const client = await watchOne(id);
    for (const line of lines) node.print(line);
    await node.disk.appendLogs(lines);
    node.finish(node.attempts[0] as never, { kind: 'succeeded', output: null });
    await client.closed;
    const texts = (of: Client) =>
      of.messages.filter(({ kind }) => kind === 'log').map(({ data }) => data.text);
    expect(texts(client)).toEqual(['1', '2', '3', '4', '5', '6']);
    const facts = (of: Client) =>
      of.messages.map(({ kind }) => kind).filter((kind) => !['log', 'state', 'end'].includes(kind));
    const other = SmallNode.idle({ disk: node.disk, loop: { partitions: 4 } });
    for (const [i, message] of client.messages.entries()) {
      if (message.kind !== 'log') continue;
      expect(message.id).toMatch(/~/);
      const rest = client.messages.slice(i + 1);
      for (const { context } of [node, other]) {
        const resumed = new Client();
        const from = { id, lastEventId: message.id as string, sink: () => resumed };
        await watchRun(context, caller(), from);
        await resumed.closed;
        const missed = rest.filter(({ kind }) => kind === 'log').map(({ data }) => data.text);
        expect(texts(resumed).sort()).toEqual(missed);
        expect(facts(resumed)).toEqual(
          rest.map(({ kind }) => kind).filter((k) => k === 'runEnded'),
        );
      }
    }
    await other.stop();
  });
});
