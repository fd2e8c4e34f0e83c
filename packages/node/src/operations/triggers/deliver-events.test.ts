import { parseRunId, type RunId } from '@signalbox/engine';
import type { JobDefinition, RunView } from '@signalbox/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Event } from '../../triggers/event.ts';
import { approveTask, defineJob, getRun, receiveEvents, signalTask } from '../index.ts';
import { caller, SmallNode, SUCCEED, turn } from '../testing/small-node.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start({ loop: { inboxPollMs: 20 } });
});
afterEach(() => node.stop());

const paid = (id: string, data: unknown = { order: 7 }): Event => {
  return { specversion: '1.0', id, source: '/shop', type: 'paid', data: data as never };
};
const send = (event: Event, on = node) => receiveEvents(on.context, caller(), { events: [event] });

const WAITS: JobDefinition = {
  tasks: [
    { name: 'first', event: { type: 'paid', filter: 'event.data.order == input.order' } },
    { name: 'second', after: ['first'], event: { type: 'paid' } },
    { name: 'third', after: ['second'], approval: {} },
  ],
};
const INPUT = { order: 7 };

const view = (id: string, on = node): Promise<RunView> => getRun(on.context, caller(), { id });

/** Waits, turn by turn, until the tasks have these states. */
async function shows(id: string, states: readonly string[]): Promise<RunView> {
  const giveUpAt = performance.now() + 20_000;
  for (;;) {
    const run = await view(id);
    if (run.tasks.every(({ state }, i) => state === states[i])) return run;
    if (performance.now() > giveUpAt) expect(run.tasks.map(({ state }) => state)).toEqual(states);
    await turn();
  }
}

/** What a task of a live run has given. */
function outputOf(id: string, task: number): Record<string, unknown> | null {
  const { partition, seq } = parseRunId(id) as RunId;
  const run = node.context.loop.engine.core.books.get(partition)?.runs.get(seq);
  const output = run?.tasks[task]?.output ?? null;
  return output === null ? null : JSON.parse(new TextDecoder().decode(output));
}

/** Everything that is in the inbox has been taken in and is durable. */
async function settled(on = node): Promise<void> {
  const partitions = [0, 1, 2, 3];
  while ((await on.disk.readInbox({ partitions, limit: 10 })).length > 0) await turn();
  await on.context.loop.flushed();
}

/** Owns nothing: whatever it is told is for others. */
async function away(): Promise<SmallNode> {
  const other = SmallNode.idle({ disk: node.disk });
  await other.context.triggers.subscriptions.poll();
  return other;
}

describe('EXT-16 an event', () => {
  it('reaches a wait on the partition of another node, and counts once however often it is sent', async () => {
    await node.define('pay', WAITS);
    const id = await node.submit({ job: 'pay', input: INPUT });
    const other = await away();
    await send(paid('e0', { order: 8 }), other);
    await send(paid('e1'), other);
    // The one of another order was not wanted by the first wait, and is there for the second.
    await shows(id, ['SUCCEEDED', 'SUCCEEDED', 'PENDING']);
    expect([outputOf(id, 0)?.['id'], outputOf(id, 1)?.['id']]).toEqual(['e1', 'e0']);
  });

  it('that is sent again, here and there, ends no later wait', async () => {
    await node.define('pay', WAITS);
    const id = await node.submit({ job: 'pay', input: INPUT });
    const other = await away();
    for (const on of [other, node, other, node]) await send(paid('e1'), on);
    await settled();
    await shows(id, ['SUCCEEDED', 'PENDING', 'PENDING']);
    await send(paid('e2'), other);
    await shows(id, ['SUCCEEDED', 'SUCCEEDED', 'PENDING']);
  });

  it('is durable with its answer: the wait hears it from whoever owns the partition then', async () => {
    await node.define('pay', WAITS);
    const id = await node.submit({ job: 'pay', input: INPUT });
    node.context.loop.halt();
    await send(paid('e1'), await away());
    node = await SmallNode.start({ disk: node.disk, loop: { inboxPollMs: 20 } });
    await node.context.loop.flushed();
    await shows(id, ['SUCCEEDED', 'PENDING', 'PENDING']);
  });

  it('is heard by a run that another node has acknowledged and its owner not yet seen', async () => {
    await node.define('pay', WAITS);
    const other = await away();
    const alias = await other.submit({ job: 'pay', input: INPUT });
    await send(paid('e1'));
    await settled();
    await shows(alias, ['SUCCEEDED', 'PENDING', 'PENDING']);
  });

  it('is kept for a job that was saved through another node a moment ago', async () => {
    const other = await away();
    other.context.triggers.subscriptions.start(3_600_000);
    await node.define('pay', WAITS);
    const id = await node.submit({ job: 'pay', input: INPUT });
    await Promise.all([send(paid('e1'), other), send(paid('e1'), other)]);
    other.context.triggers.subscriptions.stop();
    await shows(id, ['SUCCEEDED', 'PENDING', 'PENDING']);
  });

  it('that nobody waits for leaves no trace in the store', async () => {
    await node.define('pay', WAITS);
    const puts: string[] = [];
    const put = node.disk.putInbox.bind(node.disk);
    node.disk.putInbox = (entry) => {
      puts.push(entry.job);
      return put(entry);
    };
    await send({ ...paid('e1'), type: 'refunded' });
    await receiveEvents(node.context, caller({ tenant: 'other' }), { events: [paid('e1')] });
    expect(puts).toEqual([]);
    await send(paid('e1'));
    expect(puts).toEqual(['']);
  });

  it('is kept for runs of an older version, which waits for what the newer does not', async () => {
    await node.define('pay', WAITS);
    const id = await node.submit({ job: 'pay', input: INPUT });
    await node.define('pay', { tasks: [{ name: 'only', event: { type: 'refunded' } }] });
    await node.stop();
    node = await SmallNode.start({ disk: node.disk, loop: { inboxPollMs: 20 } });
    await node.context.loop.flushed();
    await send(paid('e1'));
    await shows(id, ['SUCCEEDED', 'PENDING', 'PENDING']);
  });
});

describe('EXT-16 the end of another run', () => {
  it('is heard by a wait for it, with what it yielded', async () => {
    const filter = 'event.source == "signalbox" && event.subject == "mail"';
    const tasks = [
      { name: 'after', event: { type: 'run.succeeded', filter } },
      { name: 'more', approval: {} },
    ];
    await node.define('mail');
    await node.define('then', { tasks });
    const id = await node.submit({ job: 'then', input: null });
    node.attach('w', SUCCEED);
    const ended = await node.submit({ job: 'mail', input: null });
    await shows(id, ['SUCCEEDED', 'PENDING']);
    expect(outputOf(id, 0)).toMatchObject({
      source: 'signalbox',
      type: 'run.succeeded',
      id: ended,
      data: { job: 'mail', state: 'SUCCEEDED' },
    });
  });
});

describe('a word to one task', () => {
  it('is refused where the task waits for something else, and ends a wait for an event', async () => {
    const tasks = [
      { name: 'ask', approval: {} },
      { name: 'paid', event: { type: 'paid', filter: 'false' } },
    ];
    await defineJob(node.context, caller(), { name: 'both', definition: { tasks } });
    const id = await node.submit({ job: 'both', input: null });
    const signal = (task: string) =>
      signalTask(node.context, caller(), { id, task, event: { ok: true } });
    await expect(signal('ask')).rejects.toMatchObject({
      code: 'conflict',
      message: 'the task does not wait for an event',
    });
    const approval = { id, task: 'paid', decision: 'approve' } as const;
    await expect(approveTask(node.context, caller(), approval)).rejects.toMatchObject({
      code: 'conflict',
      message: 'the task does not wait for an approval',
    });
    const run = await signal('paid');
    expect(run.tasks.map(({ state }) => state)).toEqual(['PENDING', 'SUCCEEDED']);
  });
});
