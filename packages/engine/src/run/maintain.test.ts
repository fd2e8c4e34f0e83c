import { describe, expect, it } from 'vitest';
import type { Command } from '../commands.ts';
import { refOf } from '../model/run.ts';
import { nextAttempt } from '../testing/drive.ts';
import { Harness } from '../testing/harness.ts';

type Upkeep = 'drainWorker' | 'cordonWorker' | 'uncordonWorker' | 'evictWorker';
const tell = (h: Harness, kind: Upkeep, worker = 'w1') => {
  const answer = h.apply({ kind, worker } as Command);
  h.flush();
  return answer;
};

function running(count: number) {
  const h = new Harness();
  h.addWorker({ name: 'w1' });
  const runs = Array.from({ length: count }, () => h.submit());
  h.acceptAll();
  const attempts = runs.map((run) => h.attemptOf(run));
  return { h, runs, attempts };
}

describe('draining a worker', () => {
  it('WRK-07 ADM-05 three run: two finish, the long one is saved and goes on elsewhere, uncharged', () => {
    const { h, runs, attempts } = running(3);
    const [a, b, long] = attempts as [never, never, (typeof attempts)[number]];
    h.addWorker({ name: 'w2' });
    tell(h, 'drainWorker');
    expect(h.effectsOf('abort')).toMatchObject([
      { worker: 'w1', graceMs: 30_000, why: 'drained' },
      { worker: 'w1', graceMs: 30_000, why: 'drained' },
      { worker: 'w1', graceMs: 30_000, why: 'drained' },
    ]);
    h.advance(5_000);
    h.succeed(a);
    h.advance(5_000);
    h.succeed(b);
    const state = Uint8Array.from([42]);
    h.apply({ kind: 'checkpoint', worker: 'w1', ref: refOf(long), state });
    expect(h.effectsOf('drained')).toEqual([]);
    h.finish(long, { kind: 'stopped' });
    h.flush();
    expect(h.effectsOf('drained')).toEqual([{ kind: 'drained', worker: 'w1' }]);
    expect(runs.map((run) => run.state)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'RUNNING']);
    const next = nextAttempt(h, runs[2] as (typeof runs)[number]);
    expect(next).toMatchObject({ number: 2, workerName: 'w2' });
    expect(next?.task).toMatchObject({ charged: 0, checkpoint: state });
    expect(next?.task.history).toMatchObject([{ worker: 'w1', outcome: 'drained' }]);
  });

  it('WRK-07 what does not stop by itself is taken away after its grace, uncharged', () => {
    const { h, runs } = running(1);
    h.addWorker({ name: 'w2' });
    tell(h, 'drainWorker');
    h.advance(35_000);
    const task = runs[0]?.tasks[0];
    expect(task).toMatchObject({ charged: 0, attempts: 2, lastWorker: 'w1' });
    expect(task?.attempt?.workerName).toBe('w2');
    expect(h.effectsOf('stale')).toMatchObject([{ worker: 'w1', ref: { number: 1 } }]);
    h.advance(5_000);
    expect(h.effectsOf('drained')).toEqual([{ kind: 'drained', worker: 'w1' }]);
  });

  it('ADM-05 gives it nothing new, and reports an empty one at once', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1' });
    tell(h, 'drainWorker');
    expect(h.effectsOf('drained')).toEqual([{ kind: 'drained', worker: 'w1' }]);
    h.submit();
    h.advance(60_000);
    expect(h.live()).toEqual([]);
    tell(h, 'uncordonWorker');
    h.step();
    expect(h.live()).toHaveLength(1);
  });

  it('is not undone by a broken connection', () => {
    const { h, attempts } = running(1);
    tell(h, 'drainWorker');
    h.apply({ kind: 'detachWorker', worker: 'w1' });
    h.advance(1_000);
    h.addWorker({ name: 'w1', holds: attempts.map(refOf) });
    h.submit();
    h.step();
    expect(h.worker('w1').status).toBe('draining');
    expect(h.live()).toEqual(attempts);
  });
});

describe('cordoning a worker', () => {
  it('ADM-06 lets it finish and beat as before, gives it nothing new, until it is uncordoned', () => {
    const { h, runs, attempts } = running(2);
    tell(h, 'cordonWorker');
    const waiting = h.submit();
    h.advance(60_000);
    expect(h.effectsOf('abort')).toEqual([]);
    expect(h.live()).toEqual(attempts);
    expect(h.worker('w1').lastSeenAt).toBe(h.now);
    h.succeed(attempts[0] as (typeof attempts)[number]);
    h.step();
    expect(runs.map((run) => run.state)).toEqual(['SUCCEEDED', 'RUNNING']);
    expect(waiting.tasks[0]?.state).toBe('QUEUED');
    tell(h, 'uncordonWorker');
    h.step();
    expect(h.attemptOf(waiting).workerName).toBe('w1');
  });

  it('ADM-06 is not undone by a broken connection, and can be lifted while it is broken', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1' });
    tell(h, 'cordonWorker');
    const reconnect = (between: () => void) => {
      h.apply({ kind: 'detachWorker', worker: 'w1' });
      h.advance(1_000);
      between();
      h.addWorker({ name: 'w1' });
      h.step();
    };
    h.submit();
    reconnect(() => {});
    expect(h.worker('w1').status).toBe('cordoned');
    expect(h.live()).toEqual([]);
    reconnect(() => tell(h, 'uncordonWorker'));
    expect(h.worker('w1').status).toBe('healthy');
    expect(h.live()).toHaveLength(1);
  });

  it.each(['drainWorker', 'cordonWorker', 'uncordonWorker', 'evictWorker'] as const)(
    '%s of a worker that is not there is refused',
    (kind) => {
      expect(tell(new Harness(), kind)).toMatchObject({ kind: 'refused', code: 'not_found' });
    },
  );
});

describe('evicting the tasks of a worker', () => {
  it('ADM-07 queues them again at once, uncharged and fenced', () => {
    const { h, runs, attempts } = running(3);
    h.addWorker({ name: 'w2' });
    tell(h, 'cordonWorker');
    tell(h, 'evictWorker');
    expect(h.effectsOf('abort').map(({ why }) => why)).toEqual(['evicted', 'evicted', 'evicted']);
    h.acceptAll();
    for (const [i, run] of runs.entries()) {
      const old = attempts[i] as (typeof attempts)[number];
      expect(run.tasks[0]).toMatchObject({ charged: 0, attempts: 2 });
      expect(h.attemptOf(run)).toMatchObject({ number: 2, workerName: 'w2' });
      h.finish(old, { kind: 'succeeded', output: null });
      expect(run.tasks[0]?.state).toBe('RUNNING');
      expect(run.tasks[0]?.history).toMatchObject([{ outcome: 'evicted', worker: 'w1' }]);
    }
    expect(h.flush().effects).toMatchObject(
      attempts.map((old) => ({ kind: 'stale', ref: refOf(old) })),
    );
  });

  it('ADM-07 keeps their places until the worker says that they are gone, or the time is over', () => {
    const { h, attempts } = running(3);
    tell(h, 'cordonWorker');
    tell(h, 'evictWorker');
    expect(h.worker('w1').free.slots).toBe(7);
    h.finish(attempts[0] as (typeof attempts)[number], { kind: 'stopped' });
    expect(h.worker('w1').free.slots).toBe(8);
    h.advance(35_000);
    expect(h.worker('w1').free.slots).toBe(10);
    expect(h.engine.core.wheel.size).toBe(1);
  });

  it('ADM-07 leaves nothing behind that a drain would stop a second time', () => {
    const { h } = running(2);
    tell(h, 'cordonWorker');
    tell(h, 'evictWorker');
    tell(h, 'drainWorker');
    expect(h.effectsOf('abort').map(({ why }) => why)).toEqual(['evicted', 'evicted']);
  });

  it('ADM-07 does not bring back what was cancelled', () => {
    const { h, runs } = running(1);
    h.apply({ kind: 'cancel', partition: 0, seq: 1, by: 'ann', reason: '' });
    tell(h, 'evictWorker');
    expect(runs[0]).toMatchObject({ state: 'CANCELLED', openTasks: 0 });
  });
});
