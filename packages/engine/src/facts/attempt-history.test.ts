import { describe, expect, it } from 'vitest';
import { refOf } from '../model/run.ts';
import { Harness } from '../testing/harness.ts';
import { UNCHARGED_KEPT } from './attempt-history.ts';

describe('the history of a task that workers refuse without end', () => {
  function refuseOften(times: number) {
    const h = new Harness();
    h.addWorker({ name: 'w1' });
    const run = h.submit({ retry: { attemptsMax: 5, fixedDelayMs: 0 } });
    h.acceptAll();
    h.finish(h.attemptOf(run), { kind: 'failed', error: 'ECONNRESET' });
    for (let i = 0; i < times; i++) {
      h.advance(2_000);
      h.apply({ kind: 'refuse', worker: 'w1', ref: refOf(h.attemptOf(run)), foreignUse: null });
    }
    return run;
  }

  it('keeps the newest of them and every attempt that was charged', () => {
    const run = refuseOften(3 * UNCHARGED_KEPT);
    const history = run.tasks[0]?.history ?? [];
    expect(history).toHaveLength(UNCHARGED_KEPT + 1);
    expect(history[0]).toMatchObject({ number: 1, outcome: 'transient' });
    expect(history.slice(1).map(({ number }) => number)).toEqual(
      Array.from({ length: UNCHARGED_KEPT }, (_, i) => 2 * UNCHARGED_KEPT + 2 + i),
    );
    expect(run.tasks[0]).toMatchObject({ attempts: 3 * UNCHARGED_KEPT + 1, charged: 1 });
  });
});
