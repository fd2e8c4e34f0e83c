import { describe, expect, it } from 'vitest';
import type { Payload } from './payload.ts';
import { type Producer, Producing } from './producing.ts';

function recorder() {
  const calls: number[][] = [];
  const take = async (batch: readonly Payload[]): Promise<void> => {
    calls.push(batch.map(({ id }) => id));
  };
  const producer: Producer = {
    submit: (data) => take([data]),
    submitBatch: take,
    close: async () => {},
  };
  return { calls, producing: new Producing(producer) };
}

describe('a producer', () => {
  it('loads in batches and numbers tasks through all commands', async () => {
    const { calls, producing } = recorder();
    expect((await producing.run({ kind: 'load', n: 5, batch: 2 })).n).toBe(5);
    expect((await producing.run({ kind: 'load', n: 1, batch: 2 })).n).toBe(1);
    expect(calls).toEqual([[0, 1], [2, 3], [4], [5]]);
  });

  it('loads several batches at once where it is told to, and no task twice', async () => {
    const { calls, producing } = recorder();
    expect((await producing.run({ kind: 'load', n: 7, batch: 2, inflight: 3 })).n).toBe(7);
    expect(calls).toEqual([[0, 1], [2, 3], [4, 5], [6]]);
  });

  it('holds back in steady state until tasks are done, and counts all it sent', async () => {
    const { calls, producing } = recorder();
    const running = producing.run({ kind: 'steady', batch: 2, inflight: 1, cap: 4 });
    await new Promise(setImmediate);
    expect(calls).toEqual([
      [0, 1],
      [2, 3],
    ]);
    producing.done(2);
    await new Promise(setImmediate);
    expect(calls.at(-1)).toEqual([4, 5]);
    producing.halt();
    expect((await running).n).toBe(6);
    expect(producing.submitted).toBe(6);
  });

  it('measures answers only of the tasks behind the warm-up', async () => {
    const { calls, producing } = recorder();
    const { n, acksMs } = await producing.run({ kind: 'latency', n: 3, gapMs: 0, warm: 2 });
    expect(n).toBe(5);
    expect(acksMs).toHaveLength(3);
    expect(calls.flat()).toEqual([0, 1, 2, 3, 4]);
  });
});
