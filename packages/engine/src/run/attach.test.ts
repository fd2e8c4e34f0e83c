import { describe, expect, it } from 'vitest';
import { NO_RESOURCES } from '../model/resources.ts';
import { type Attempt, type AttemptRef, type Run, refOf } from '../model/run.ts';
import { nextAttempt } from '../testing/drive.ts';
import { Harness } from '../testing/harness.ts';
import { Recorded } from '../testing/recorded.ts';

function running(count = 1) {
  const h = new Harness();
  h.addWorker({ name: 'w1' });
  const runs = Array.from({ length: count }, () => h.submit());
  h.acceptAll();
  return { h, runs, run: runs[0] as Run, attempt: h.attemptOf(runs[0] as Run) };
}

/** The connection broke and is there again; the process is the same unless told. */
function comeBack(h: Harness, holds: AttemptRef[], instance = 'i1'): void {
  h.apply({ kind: 'detachWorker', worker: 'w1' });
  h.advance(2_000);
  h.addWorker({ name: 'w1', instance, holds });
  h.flush();
}

describe('a worker that comes back', () => {
  it('goes on with what it holds: the same attempt, nothing charged', () => {
    const { h, run, attempt } = running();
    comeBack(h, [refOf(attempt)]);
    expect(h.attemptOf(run)).toBe(attempt);
    expect(h.worker('w1').attempts).toEqual([attempt]);
    h.advance(60_000);
    h.succeed(attempt);
    expect(run.state).toBe('SUCCEEDED');
    expect(run.tasks[0]).toMatchObject({ attempts: 1, charged: 0 });
    expect(h.effectsOf('stale')).toEqual([]);
  });

  it('counts as having accepted what it turns out to hold', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1' });
    const run = h.submit();
    h.step();
    comeBack(h, [refOf(h.attemptOf(run))]);
    expect(run.tasks[0]?.state).toBe('RUNNING');
  });

  it('is told to stop what is not its own any more', () => {
    const { h, attempt } = running();
    const old = { ...refOf(attempt), token: 77 };
    comeBack(h, [old, refOf(attempt)]);
    expect(h.effectsOf('stale')).toEqual([{ kind: 'stale', worker: 'w1', ref: old }]);
  });

  it('without an assignment that it never got: queued again at once, not charged', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1' });
    const run = h.submit();
    h.step();
    comeBack(h, []);
    expect(run.tasks[0]).toMatchObject({ charged: 0, attempts: 1 });
    expect(h.factsOf('taskRequeued')).toMatchObject([{ reason: 'never_arrived' }]);
  });

  it('before an assignment has left this node: it still gets it', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1' });
    const run = h.submit();
    while (h.engine.schedule(h.now, h.random));
    expect(h.attemptOf(run).sent).toBe(false);
    h.addWorker({ name: 'w1', holds: [] });
    h.flush();
    expect(h.factsOf('taskRequeued')).toEqual([]);
    h.accept(h.attemptOf(run));
    expect(run.tasks[0]?.state).toBe('RUNNING');
  });

  it.each([
    ['its process is a new one', 'i2'],
    ['its process is the same and has lost it', 'i1'],
  ])('without what it had begun: lost and charged, if %s', (_which, instance) => {
    const { h, run } = running();
    comeBack(h, [], instance);
    expect(run.tasks[0]).toMatchObject({ state: 'PENDING', charged: 1 });
    expect(run.tasks[0]?.history).toMatchObject([{ outcome: 'worker_lost' }]);
  });

  it('is asked again to stop what was cancelled while it was away', () => {
    const { h, run, attempt } = running();
    h.apply({ kind: 'detachWorker', worker: 'w1' });
    h.apply({ kind: 'cancel', partition: 0, seq: run.seq, by: 'ann', reason: '' });
    h.advance(2_000);
    h.addWorker({ name: 'w1', holds: [refOf(attempt)] });
    h.flush();
    const aborts = h.effectsOf('abort');
    expect(aborts.map(({ why }) => why)).toEqual(['cancelled', 'cancelled']);
    // The grace goes on from when it was asked first.
    expect(aborts.map(({ graceMs }) => graceMs)).toEqual([30_000, 28_000]);
  });

  it('learns which attempts are counted here, though it reports them as use by another node', () => {
    const { h, runs } = running(2);
    const [first, second] = runs.map((run) => refOf(h.attemptOf(run)));
    const foreignUse = { ...NO_RESOURCES, slots: 2 };
    h.addWorker({ name: 'w1', holds: [first, second] as AttemptRef[], foreignUse });
    h.flush();
    expect(h.effectsOf('probe')).toEqual([
      { kind: 'probe', worker: 'w1', adopted: [first, second] },
    ]);
    h.apply({ kind: 'beat', worker: 'w1', foreignUse: NO_RESOURCES, progress: [] });
    expect(h.worker('w1').free.slots).toBe(8);
  });

  it('in the middle of a drain is not reported as drained while it holds something', () => {
    const { h, attempt } = running();
    h.apply({ kind: 'drainWorker', worker: 'w1' });
    h.addWorker({ name: 'w1', holds: [refOf(attempt)] });
    h.flush();
    expect(h.worker('w1').status).toBe('draining');
    expect(h.effectsOf('drained')).toEqual([]);
    h.succeed(attempt);
    h.flush();
    expect(h.effectsOf('drained')).toHaveLength(1);
  });

  it('in the middle of a drain with nothing left but a superseded attempt is reported as drained, once', () => {
    const h = new Harness();
    h.addWorker();
    h.submit();
    h.acceptAll();
    h.apply({ kind: 'evictWorker', worker: 'w1' });
    h.apply({ kind: 'drainWorker', worker: 'w1' });
    h.flush();
    expect(h.worker('w1').lingering.size).toBe(1);
    expect(h.effectsOf('drained')).toEqual([]);
    h.addWorker();
    h.flush();
    expect(h.effectsOf('drained')).toHaveLength(1);
  });

  it('in the middle of a drain without anything is reported as drained, once', () => {
    const { h } = running();
    h.apply({ kind: 'drainWorker', worker: 'w1' });
    comeBack(h, [], 'i2');
    expect(h.worker('w1').status).toBe('draining');
    expect(h.effectsOf('drained')).toHaveLength(1);
  });

  it('in the middle of a drain is asked to end what this node has taken over since', () => {
    const before = new Recorded();
    before.addWorker({ name: 'w1' });
    const run = before.submit();
    before.acceptAll();
    const ref = refOf(before.attemptOf(run));
    const after = new Harness({ partitions: [1] });
    after.addWorker({ name: 'w1' });
    after.apply({ kind: 'drainWorker', worker: 'w1' });
    after.apply({ kind: 'takePartition', book: before.store.rebuild(2, null) });
    after.addWorker({ name: 'w1', holds: [ref] });
    after.flush();
    expect(after.effectsOf('abort')).toMatchObject([{ ref, why: 'drained' }]);
  });

  it('over and over keeps its places exactly', () => {
    const { h, runs } = running(4);
    for (let i = 0; i < 20; i++) {
      const holds = runs.slice(i % 4).map((run) => run.tasks[0]?.attempt);
      comeBack(h, holds.filter((attempt) => attempt !== null && attempt !== undefined).map(refOf));
      for (const attempt of h.assigned()) h.accept(attempt);
      const worker = h.worker('w1');
      expect(worker.free.slots).toBe(10 - worker.attempts.length);
    }
  });
});

describe('a task that kills its worker each time', () => {
  /** Every attempt takes the process with it; answers how often it was tried. */
  function poison(kill: (h: Harness, attempt: Attempt, round: number) => void, accepts: boolean) {
    const h = new Harness();
    h.addWorker({ name: 'w1', instance: 'i0' });
    const run = h.submit();
    let tried = 0;
    for (let round = 1; round <= 20; round++) {
      const attempt = accepts ? nextAttempt(h, run) : assigned(h, run);
      if (attempt === null) break;
      tried++;
      kill(h, attempt, round);
    }
    return { h, run, tried };
  }

  function assigned(h: Harness, run: Run): Attempt | null {
    const task = run.tasks[0];
    if (task?.state === 'PENDING') h.advance(task.dueAt - h.now);
    h.step();
    return task?.attempt ?? null;
  }

  it.each([
    ['after it accepted', true],
    ['before it accepted', false],
  ])('FLT-06 is charged and quarantined though the worker is back under its name: %s', (_w, ok) => {
    const { run, tried } = poison((h, _attempt, round) => {
      h.apply({ kind: 'detachWorker', worker: 'w1' });
      h.advance(1_000);
      h.addWorker({ name: 'w1', instance: `i${round}`, holds: [] });
      h.flush();
    }, ok);
    expect(tried).toBe(5);
    expect(run.tasks[0]).toMatchObject({ state: 'QUARANTINED', charged: 5 });
  });

  it('FLT-06 is quarantined though the worker is back before its old connection was missed', () => {
    const { run, tried } = poison((h, _attempt, round) => {
      h.addWorker({ name: 'w1', instance: `i${round}`, holds: [] });
      h.flush();
    }, true);
    expect(tried).toBe(5);
    expect(run.tasks[0]?.state).toBe('QUARANTINED');
  });

  it('FLT-06 F28 is quarantined after five different workers, and they never die two at a time', () => {
    const { h, run, tried } = poison((h, attempt, round) => {
      expect(h.live().filter((live) => live.task === attempt.task)).toHaveLength(1);
      h.mute(attempt.workerName);
      h.addWorker({ name: `spare${round}` });
      h.advance(15_000);
    }, true);
    expect(tried).toBe(5);
    expect(run.tasks[0]).toMatchObject({ state: 'QUARANTINED', charged: 5 });
    expect(h.effectsOf('alert').filter(({ alert }) => alert === 'quarantined')).toHaveLength(1);
    expect(
      new Set(
        h
          .factsOf('taskAssigned')
          .filter((f) => f.seq === 1)
          .map((f) => f.worker),
      ).size,
    ).toBe(5);
  });
});
