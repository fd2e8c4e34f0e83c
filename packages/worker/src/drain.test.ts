import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { buildAssign, buildRef, textOf } from './testing/fake-node.ts';
import { gate, obedient, startWorker, stopWorkers } from './testing/start-worker.ts';

afterEach(stopWorkers);

describe('graceful stop', () => {
  it('WRK-07 short ones finish, a long one is checkpointed and stopped, all are confirmed, bye', async () => {
    const { node, worker } = await startWorker(async (input: string, context) => {
      if (input === 'short') {
        await delay(30);
        return 'done';
      }
      context.checkpoint.offer(() => ({ page: 9 }));
      return obedient(input as never, context);
    });
    node.send(
      buildAssign(1, { value: 'short' }),
      buildAssign(2, { value: 'long' }),
      buildAssign(3, { value: 'short' }),
    );
    await node.until(() => node.accepted.length >= 3);
    await worker.stop({ graceMs: 200 });
    const ends = node.all('finish').map(({ ref, result }) => [ref[1], result.kind]);
    expect(ends.sort()).toEqual([
      [1, 'succeeded'],
      [2, 'stopped'],
      [3, 'succeeded'],
    ]);
    expect(textOf(node.all('checkpoint')[0]?.state)).toBe('{"page":9}');
    expect(node.heard.at(-1)?.kind).toBe('bye');
    expect(worker.state).toBe('stopped');
    expect(worker.tracking).toEqual({ held: 0, running: 0, occupying: 0, progress: 0 });
  });

  it('WRK-07 asks for no more work and refuses what comes all the same', async () => {
    const { handler, begun, open } = gate();
    const { node, worker } = await startWorker(handler);
    node.send(buildAssign(1));
    await begun;
    const stopped = worker.stop();
    await node.next('drain');
    node.send(buildAssign(2));
    expect((await node.next('refuse')).ref).toEqual(buildRef(2));
    open();
    await stopped;
    expect(node.all('finish')).toHaveLength(1);
  });

  it('U011 a failure within the grace is reported and confirmed before it leaves', async () => {
    const begun = Promise.withResolvers<void>();
    const failing = Promise.withResolvers<never>();
    const { node, worker } = await startWorker(() => {
      begun.resolve();
      return failing.promise;
    });
    node.send(buildAssign(1));
    await begun.promise;
    const stopped = worker.stop();
    await node.next('drain');
    failing.reject(new Error('disk full'));
    await stopped;
    const kinds = node.heard.map(({ kind }) => kind).filter((kind) => kind !== 'beat');
    expect(kinds.slice(-2)).toEqual(['finish', 'bye']);
    expect(node.all('finish')[0]?.result).toMatchObject({ kind: 'failed', error: 'disk full' });
    expect(worker.tracking).toEqual({ held: 0, running: 0, occupying: 0, progress: 0 });
  });

  it('ends in time with a handler that ignores everything', async () => {
    const { handler, begun, open } = gate();
    const { node, worker } = await startWorker(handler);
    node.send(buildAssign(1, { graceMs: 50 }));
    await begun;
    await worker.stop({ graceMs: 10 });
    expect(node.all('finish')[0]?.result).toEqual({ kind: 'stopped' });
    open();
  });

  it('a node that drains it too does not give it more time than it has', async () => {
    const { handler, begun, open } = gate();
    const { node, worker } = await startWorker(handler);
    node.send(buildAssign(1, { graceMs: 50 }));
    await begun;
    const stopped = worker.stop({ graceMs: 10 });
    await node.next('drain');
    node.send({ kind: 'abort', ref: buildRef(1), graceMs: 600_000, why: 'drained' });
    await stopped;
    expect(node.all('finish')[0]?.result).toEqual({ kind: 'stopped' });
    open();
  });

  it('stops although the node is away', async () => {
    const { node, worker } = await startWorker(() => 1);
    node.isUp = false;
    node.cut();
    await worker.stop();
    expect(worker.state).toBe('stopped');
  });

  it('a second stop is the first one', async () => {
    const { worker } = await startWorker(() => 1);
    expect(worker.stop()).toBe(worker.stop());
    await worker.stop();
  });
});
