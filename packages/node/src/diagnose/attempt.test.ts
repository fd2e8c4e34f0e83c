import { createMemoryStore } from '@signalbox/store/memory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diagnoseTask, drainWorker } from '../operations/index.ts';
import { caller, HOLD, SILENT, SmallNode, turn } from '../operations/testing/small-node.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
  await node.define('mail');
});
afterEach(() => node.stop());

const why = (id: string, task = 'main') =>
  diagnoseTask(node.context, caller(), { id: `${id}:${task}` });

async function settled(): Promise<void> {
  await node.context.loop.flushed();
  await node.context.loop.flushed();
}

describe('API-09 a task that has an attempt', () => {
  it('whose worker has lost its connection: which worker, since when, and when it is given up', async () => {
    for (const [name, behaviour] of [
      ['w1', HOLD],
      ['w2', SILENT],
    ] as const) {
      node.attach(name, behaviour);
      const arrived = node.attempts.length;
      const id = await node.submit({ job: 'mail' });
      await node.arrived(arrived + 1);
      await settled();
      node.context.loop.report({ kind: 'detachWorker', worker: name });
      await settled();
      const found = await why(id);
      expect(found).toMatchObject({
        reason: 'WORKER_DETACHED',
        numbers: {
          worker: name,
          attempt: 1,
          since: expect.any(Number),
          lostAt: expect.any(Number),
        },
      });
      const { since, lostAt } = found.numbers as { since: number; lostAt: number };
      expect(lostAt - since).toBe(node.context.loop.engine.core.settings.reattachMs);
      expect(found.detail).toContain(`since ${new Date(since).toISOString()}`);
      expect(found.detail).toContain(`considered lost at ${new Date(lostAt).toISOString()}`);
      expect(found.suggestion).toContain(`signalbox workers show ${name}`);
    }
  });

  it('whose worker has not attached since the node took the run over', async () => {
    const disk = createMemoryStore({ now: () => Date.now() });
    await node.stop();
    node = await SmallNode.start({ disk });
    await node.define('mail');
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'mail' });
    await node.arrived(1);
    await settled();
    await node.stop();
    node = await SmallNode.start({ disk });
    const found = await why(id);
    expect(found).toMatchObject({ state: 'RUNNING', reason: 'WORKER_DETACHED' });
    expect(found.detail).toMatch(
      /^Attempt 1 is on worker w, which has not attached since this node/,
    );
    const { since, lostAt } = found.numbers as { since: number; lostAt: number };
    expect(lostAt - since).toBe(node.context.loop.engine.core.settings.silentMs);
  });

  it('whose worker is silent', async () => {
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'mail' });
    await node.arrived(1);
    await settled();
    const worker = node.context.loop.engine.core.workers.workers.get('w');
    if (worker === undefined) throw new Error('no worker');
    worker.lastSeenAt -= 12_000;
    expect(await why(id)).toMatchObject({
      reason: 'WORKER_SILENT',
      detail: expect.stringMatching(/^Attempt 1 is on worker w, silent since .* \(12\.\d s ago\)/),
      numbers: { worker: 'w', lostAt: worker.lastSeenAt + 15_000 },
    });
  });

  it('whose worker is drained: until when it may finish, then where it is when it is back in the queue', async () => {
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'mail' });
    await node.arrived(1);
    await settled();
    await drainWorker(node.context, caller({ platform: true }), { name: 'w' });
    await settled();
    const stopping = await why(id);
    expect(stopping).toMatchObject({
      state: 'RUNNING',
      reason: 'STOPPING',
      numbers: { worker: 'w', why: 'drained', stopAt: expect.any(Number) },
    });
    expect(stopping.detail).toMatch(/worker w is being drained.*until \d{4}-/);
    const [attempt] = node.attempts;
    if (attempt !== undefined) node.finish(attempt, { kind: 'stopped' });
    await settled();
    const queued = await why(id);
    expect(queued).toMatchObject({ state: 'QUEUED', reason: 'WORKERS_NOT_AVAILABLE' });
    expect(queued.detail).toBe(
      '1 worker could run the task, but accepts no new attempts: w (draining). Attempt 1 on w ended: drained (the worker is being drained).',
    );
    expect(queued.suggestion).toContain('signalbox uncordon w');
  });

  it('is told how its last attempt ended when its worker is lost', async () => {
    await node.stop();
    node = await SmallNode.start({ engine: { reattachMs: 1 } });
    await node.define('mail');
    node.attach('w', HOLD);
    const id = await node.submit({ job: 'mail' });
    await node.arrived(1);
    await settled();
    node.context.loop.report({ kind: 'detachWorker', worker: 'w' });
    const before = new Set(['RUNNING', 'WORKER_DETACHED']);
    while (before.has((await why(id)).reason)) await turn();
    const found = await why(id);
    expect(found).toMatchObject({ reason: 'WAITING_UNTIL' });
    expect(found.detail).toMatch(
      /^Attempt 1 on w ended: worker_lost \(the worker stopped sending heartbeats\)/,
    );
  });
});

describe('API-09 placement', () => {
  it('names the label that is missing, not the executor that a worker offers', async () => {
    node.attach('near', HOLD, { labels: { gpu: 't4' } });
    node.attach('far', HOLD, { executors: ['handler:other'], labels: { gpu: 'a100' } });
    await node.define('train', { tasks: [{ handler: 'mail', workerLabels: { gpu: 'a100' } }] });
    const id = await node.submit({ job: 'train' });
    await settled();
    const found = await why(id);
    expect(found).toMatchObject({
      reason: 'NO_WORKER_OFFERS',
      numbers: { binding: 'LABELS_MISMATCH', nearest: 'near' },
    });
    expect(found.detail).toBe(
      'None of 2 workers offers everything that the task requires. The closest, near, offers the executor handler:mail, but not the label gpu=a100 (the worker has gpu=t4).',
    );
    expect(found.suggestion).toMatch(
      /^Start a suitable worker: signalbox worker --jobs jobs\.ts --labels gpu=a100 \(/,
    );
  });
});
