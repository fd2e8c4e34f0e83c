import type { TriggerDefinition } from '@signalbox/protocol';
import { StoreError } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEPTH_MAX } from '../../triggers/completion-triggers.ts';
import { cancelRun, getRun, getTrigger, listRuns, saveTrigger } from '../index.ts';
import { bytes, caller, SmallNode, SUCCEED } from '../testing/small-node.ts';
import { triggersOn, until } from '../testing/triggers-on.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
  await node.define('mail');
  await node.define('graph');
});
afterEach(() => node.stop());

const { runs } = triggersOn(() => node);

describe('the end of a run', () => {
  const follow = (own: Partial<TriggerDefinition> = {}, on = node, name = 'after') =>
    saveTrigger(on.context, caller(), {
      name,
      definition: {
        job: 'graph',
        source: 'signalbox',
        type: 'run.succeeded',
        subject: 'mail',
        ...own,
      },
    });

  it('starts another run, with what it yielded; other ends do not', async () => {
    await follow({ input: { from: '${event.data.run}', said: '${event.data.output.said}' } });
    await follow({ type: 'run.failed' }, node, 'failed');
    node.attach('w', (attempt) =>
      attempt.task.run.spec.job === 'mail'
        ? { kind: 'succeeded', output: bytes('{"said":"hello"}') }
        : null,
    );
    const id = await node.submit({ job: 'mail', priority: 'P0' });
    const [made] = await until(async () => {
      const found = await runs(node, 'graph');
      return found.length === 0 ? null : found;
    });
    expect(made).toMatchObject({
      priority: 'P0',
      trigger: { kind: 'event', of: 'after' },
      event: { source: 'signalbox', id, type: 'run.succeeded', depth: 1 },
    });
    const stored = await node.context.store.listRuns({
      tenant: 'acme',
      before: null,
      limit: 9,
      job: 'graph',
    });
    const input = stored[0]?.run.input as Uint8Array;
    expect(JSON.parse(new TextDecoder().decode(input))).toEqual({ from: id, said: 'hello' });
    expect(await runs(node, 'graph')).toHaveLength(1);
  });

  it('is told for cancelled runs too, and another tenant hears nothing', async () => {
    await follow({ type: 'run.*' });
    const other = caller({ tenant: 'other' });
    expect((await listRuns(node.context, other, { limit: 9 })).items).toEqual([]);
    const id = await node.submit({ job: 'mail' });
    await cancelRun(node.context, caller(), { id });
    const found = await until(async () => (await runs(node, 'graph'))[0] ?? null);
    expect(found.event).toMatchObject({ id, type: 'run.cancelled' });
  });

  it('runs that start each other end at the limit, and the trigger says so', async () => {
    await follow({ job: 'mail' });
    node.attach('w', SUCCEED);
    await node.submit({ job: 'mail' });
    const refusals = await until(async () => {
      const trigger = await getTrigger(node.context, caller(), { name: 'after' });
      return trigger.refusals ?? null;
    });
    expect(refusals).toMatchObject([
      {
        source: 'signalbox',
        reason: `the chain of runs that start each other is already ${DEPTH_MAX} runs long`,
      },
    ]);
    expect(await runs(node, 'mail')).toHaveLength(DEPTH_MAX + 1);
    expect(node.events.rejected).toBe(1);
  });

  it('what follows from one end may take only so much work; the rest is refused, visibly', async () => {
    for (const name of ['one', 'two', 'three']) {
      await follow({ filter: 'event.data.output.all(x, x >= 0)' }, node, name);
    }
    const output = bytes(JSON.stringify(Array.from({ length: 1_800 }, (_, i) => i)));
    node.attach('w', (attempt) =>
      attempt.task.run.spec.job === 'mail' ? { kind: 'succeeded', output } : null,
    );
    await node.submit({ job: 'mail' });
    const refusals = await until(async () => {
      const trigger = await getTrigger(node.context, caller(), { name: 'three' });
      return trigger.refusals ?? null;
    });
    expect(refusals).toMatchObject([
      { reason: 'evaluating the triggers of this run end takes too much work' },
    ]);
    await until(async () => ((await runs(node, 'graph')).length === 2 ? true : null));
  });

  it('is followed once, though the node dies between the end and what follows', async () => {
    const disk = createMemoryStore({ now: () => Date.now() });
    // The first node never gets to look into the inbox.
    const loop = { leaseMs: 300, beatMs: 50, trustMarginMs: 50, inboxPollMs: 10 };
    const store = { ...disk, readInbox: async () => [] };
    const first = await SmallNode.start({ disk, store, loop });
    await first.define('mail');
    await first.define('graph');
    await follow({}, first);
    first.attach('w', SUCCEED);
    const id = await first.submit({ job: 'mail' });
    await until(async () => {
      const run = await getRun(first.context, caller(), { id });
      return run.state === 'SUCCEEDED' ? run : null;
    });
    expect(await runs(first, 'graph')).toEqual([]);
    first.context.loop.halt();
    const second = await SmallNode.start({ disk, loop });
    const [made] = await until(async () => {
      const found = await runs(second, 'graph');
      return found.length === 0 ? null : found;
    });
    expect(made?.event).toMatchObject({ id });
    await second.context.loop.flushed();
    expect(await runs(second, 'graph')).toHaveLength(1);
    await second.stop();
  }, 30_000);

  it('is followed once, though the answers of commits are lost', async () => {
    const disk = createMemoryStore({ now: () => Date.now() });
    let lost = 0;
    const store = {
      ...disk,
      append: async (commit: Parameters<typeof disk.append>[0]) => {
        const result = await disk.append(commit);
        const owes = commit.parts.some(({ inboxPut }) => inboxPut !== undefined);
        if (!owes || lost >= 3) return result;
        lost++;
        throw new StoreError('unknown', 'the answer was lost');
      },
    };
    const own = await SmallNode.start({ disk, store });
    await own.define('mail');
    await own.define('graph');
    await follow({}, own);
    own.attach('w', SUCCEED);
    await own.submit({ job: 'mail' });
    await own.submit({ job: 'mail' });
    await until(async () => {
      const found = await runs(own, 'graph');
      return found.length < 2 ? null : found;
    });
    expect(lost).toBeGreaterThan(0);
    await own.context.loop.flushed();
    expect(await runs(own, 'graph')).toHaveLength(2);
    await own.stop();
  });
});
