import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Handler } from './executors/handler/handler.ts';
import { buildAssign, buildRef, textOf } from './testing/fake-node.ts';
import { startWorker, stopWorkers } from './testing/start-worker.ts';

afterEach(async () => {
  vi.useRealTimers();
  await stopWorkers();
});

describe('checkpoints', () => {
  it('WRK-05 an attempt that dies at 75 % is followed by one that starts there', async () => {
    const done: number[] = [];
    let isFirst = true;
    const handler: Handler = async (_input, { checkpoint }) => {
      const from = checkpoint.load<{ next: number }>()?.next ?? 0;
      for (let page = from; page < 100; page += 1) {
        if (page === 75 && isFirst) {
          isFirst = false;
          throw new Error('died');
        }
        done.push(page);
        await checkpoint.save({ next: page + 1 });
      }
    };
    const { node } = await startWorker(handler);
    node.send(buildAssign(1));
    await node.next('finish');
    const saved = node.all('checkpoint').at(-1)?.state ?? null;
    node.send(buildAssign(2, { checkpoint: saved }));
    expect((await node.next('finish', 2)).result.kind).toBe('succeeded');
    expect(done).toEqual(Array.from({ length: 100 }, (_, page) => page));
  });

  it('WRK-05 without opting in nothing is saved, and a task begins at its start', async () => {
    const { node } = await startWorker((_input, { checkpoint }) => checkpoint.load());
    node.send(buildAssign(1));
    expect(textOf((await node.next('finish')).output)).toBe('null');
    expect(node.all('checkpoint')).toEqual([]);
  });

  it('WRK-05 what is offered is saved every 30 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const offered = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    let page = 0;
    const { node } = await startWorker((_input, { checkpoint }) => {
      checkpoint.offer(() => ({ page }));
      offered.resolve();
      return end.promise;
    });
    node.send(buildAssign(1));
    await offered.promise;
    for (page = 1; page <= 3; page += 1) vi.advanceTimersByTime(30_000);
    await node.next('checkpoint', 3);
    end.resolve();
    await node.next('finish');
    const states = node.all('checkpoint').map(({ state }) => textOf(state));
    expect(states).toEqual(['{"page":1}', '{"page":2}', '{"page":3}']);
  });

  it('a state that cannot be saved does not fail the attempt', async () => {
    const { node } = await startWorker((_input, { checkpoint, signal }) => {
      checkpoint.offer(() => 1n);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve('fine')));
    });
    node.send(buildAssign(1));
    await node.next('accept');
    node.send({ kind: 'abort', ref: buildRef(1), graceMs: 1_000, why: 'timeout' });
    expect((await node.next('finish')).result.kind).toBe('succeeded');
    expect(textOf(node.all('log')[0]?.text)).toContain('checkpoint not saved');
  });
});
