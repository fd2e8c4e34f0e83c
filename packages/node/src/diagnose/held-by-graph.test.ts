import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diagnoseTask, pauseRun } from '../operations/index.ts';
import { bytes, caller, HOLD, SmallNode } from '../operations/testing/small-node.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
});
afterEach(() => node.stop());

const why = (id: string, task: string) =>
  diagnoseTask(node.context, caller(), { id: `${id}:${task}` });

describe('API-09 what holds a task of a graph', () => {
  it('names the person, the event and the sleep that a task waits for', async () => {
    const tasks = [
      { name: 'ask', approval: { message: 'Publish?', timeout: '1h' } },
      { name: 'paid', event: { type: 'payment' } },
      { name: 'paid-much', event: { type: 'payment', filter: 'event.data.total > 10' } },
      { name: 'nap', sleep: { for: 60_000 } },
      { name: 'end', after: ['ask', 'paid', 'nap'] },
    ];
    await node.define('graph', { tasks });
    const id = await node.submit({ job: 'graph' });
    const ask = await why(id, 'ask');
    expect(ask).toMatchObject({ reason: 'WAITING_PERSON', numbers: { runAt: expect.any(Number) } });
    expect(ask.detail).toMatch(/for an approval: Publish\?$/);
    expect(await why(id, 'paid')).toMatchObject({
      reason: 'WAITING_EVENT',
      detail: expect.stringContaining('for an event of type payment'),
    });
    expect((await why(id, 'paid-much')).detail).toMatch(
      /for an event of type payment with event\.data\.total > 10\.$/,
    );
    expect(await why(id, 'nap')).toMatchObject({ reason: 'WAITING_UNTIL' });
    expect(await why(id, 'end')).toMatchObject({
      reason: 'WAITING_UPSTREAM',
      numbers: { open: 3 },
    });
  });

  it('names the parents of a task as the run does: a fan-out, a task that was added', async () => {
    const tasks = [
      { name: 'list' },
      { name: 'each', after: ['list'], fanOut: { from: 'list' } },
      { name: 'plan', dynamic: true },
      { name: 'end', after: ['each', 'plan', 'slow'] },
      { name: 'slow', handler: 'nobody' },
    ];
    await node.define('graph', { tasks });
    const added = { tasks: [{ name: 'extra', handler: 'nobody' }] };
    const outputs: Record<string, string> = {
      list: '[1,2]',
      plan: JSON.stringify({ ...added, edges: [{ from: 'extra', to: 'end' }] }),
    };
    node.attach('w', ({ task }) => {
      const output = outputs[task.spec.name];
      return output === undefined ? null : { kind: 'succeeded', output: bytes(output) };
    });
    const id = await node.submit({ job: 'graph' });
    await node.arrived(4);
    await node.context.loop.flushed();
    const { detail, numbers } = await why(id, 'end');
    expect(numbers).toMatchObject({
      upstream: [{ name: 'each' }, { name: 'slow' }, { name: 'extra' }],
    });
    expect(detail).toMatch(/^The task waits for 3 tasks: each \(\w+\), slow \(QUEUED\), extra \(/);
  });

  it('counts the children of a fan-out, and says that a run is paused', async () => {
    const tasks = [{ name: 'list' }, { name: 'each', after: ['list'], fanOut: { from: 'list' } }];
    await node.define('graph', { tasks });
    node.attach('w', ({ task }) =>
      task.spec.name === 'list' ? { kind: 'succeeded', output: bytes('[1,2,3]') } : null,
    );
    const id = await node.submit({ job: 'graph' });
    await node.arrived(4);
    await node.context.loop.flushed();
    const each = await why(id, 'each');
    expect(each).toMatchObject({ reason: 'WAITING_CHILDREN', numbers: { open: 3, of: 3 } });
    expect(each.detail).toContain('3 have not ended');
    await pauseRun(node.context, caller(), { id, reason: 'a closer look' });
    expect(await why(id, 'each')).toMatchObject({
      reason: 'RUN_PAUSED',
      detail: expect.stringMatching(/^The run is paused by tester/),
    });
    expect(await why(id, 'each_chunk_1')).toMatchObject({ reason: 'RUNNING' });
  });

  it('advises the option that raises the limit of a fan-out', async () => {
    const tasks = [{ name: 'list' }, { name: 'each', after: ['list'], fanOut: { from: 'list' } }];
    await node.define('graph', { tasks, limits: { maxFanOut: 2 } });
    node.attach('w', () => ({ kind: 'succeeded', output: bytes('[1,2,3]') }));
    const id = await node.submit({ job: 'graph' });
    await node.arrived(1);
    await node.context.loop.flushed();
    expect(await why(id, 'each')).toMatchObject({
      reason: 'RUN_PAUSED',
      suggestion: expect.stringContaining(`signalbox resume ${id} --max-fan-out 3.`),
    });
  });

  it('says that somebody has to approve also while the run is paused', async () => {
    await node.define('graph', {
      tasks: [
        { name: 'ask', approval: {} },
        { name: 'end', after: ['ask'] },
      ],
    });
    const id = await node.submit({ job: 'graph' });
    await node.context.loop.flushed();
    await pauseRun(node.context, caller(), { id, reason: 'a closer look' });
    expect(await why(id, 'ask')).toMatchObject({
      reason: 'WAITING_PERSON',
      detail: expect.stringMatching(
        / The run is paused: later tasks start after the run is resumed/,
      ),
      suggestion: `Approve or reject the task: signalbox approve ${id}:ask`,
    });
    expect(await why(id, 'end')).toMatchObject({ reason: 'RUN_PAUSED' });
  });

  it('leaves a task alone that waits for a worker', async () => {
    node.attach('w', HOLD);
    await node.define('graph', { tasks: [{ name: 'a', handler: 'nobody' }, { name: 'b' }] });
    const id = await node.submit({ job: 'graph' });
    await node.context.loop.flushed();
    expect((await why(id, 'a')).reason).toBe('NO_WORKER_OFFERS');
  });
});
