import { describe, expect, it } from 'vitest';
import { refOf } from '../model/run.ts';
import { resources } from '../testing/builders.ts';
import { Harness } from '../testing/harness.ts';

describe('a worker that does not accept', () => {
  it('PLC-10 U019: loses the attempt after 30 s, is suspect, and nothing is charged', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1' });
    const run = h.submit();
    h.step();
    const first = h.attemptOf(run);
    // It beats, so it is alive; but of this attempt it never says a word.
    h.advance(29_999);
    expect(run.tasks[0]).toMatchObject({ state: 'ASSIGNED', attempt: first });
    const { status } = h.worker('w1');
    expect(status).toBe('healthy');
    h.now += 1;
    h.apply({ kind: 'tick' });
    expect(run.tasks[0]).toMatchObject({ state: 'QUEUED', attempts: 1, charged: 0 });
    expect(h.worker('w1').status).toBe('suspect');
    h.flush();
    expect(h.factsOf('taskRequeued').map((fact) => fact.reason)).toEqual(['not_accepted']);
    expect(h.effectsOf('stale').map((effect) => effect.ref)).toEqual([refOf(first)]);
  });

  it('PLC-10 U019: the task goes to another worker, and a late acceptance is refused', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1', total: { slots: 1 } });
    const run = h.submit();
    h.step();
    const first = h.attemptOf(run);
    h.addWorker({ name: 'w2', total: { slots: 1 } });
    h.advance(30_000);
    const second = h.attemptOf(run);
    expect(second).toMatchObject({ workerName: 'w2', number: 2 });
    h.accept(first);
    h.flush();
    expect(second.task).toMatchObject({ state: 'ASSIGNED', attempt: second });
    expect(h.effectsOf('stale').length).toBe(2);
  });

  it('PLC-10: a suspect worker gets nothing until it is heard of', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1', total: { slots: 5 } });
    h.submit();
    h.step();
    h.now += 30_000;
    h.apply({ kind: 'freshen' });
    h.apply({ kind: 'tick' });
    h.step();
    expect(h.worker('w1').status).toBe('suspect');
    expect(h.live()).toEqual([]);
    h.apply({ kind: 'beat', worker: 'w1', foreignUse: resources(), progress: [] });
    h.step();
    expect(h.live().length).toBe(1);
  });
});

describe('a worker that beats and starts nothing', () => {
  /** Lets the worker ignore one assignment until it is suspect, and beat again. */
  const ignore = (h: Harness) => {
    h.advance(30_000);
    h.apply({ kind: 'beat', worker: 'w1', foreignUse: resources(), progress: [] });
    h.step();
  };

  it('U007 is cordoned after three assignments in a row, with an alert, until it is uncordoned', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1' });
    const run = h.submit();
    h.step();
    ignore(h);
    ignore(h);
    expect(h.worker('w1').status).toBe('healthy');
    expect(h.effectsOf('alert')).toEqual([]);
    ignore(h);
    expect(h.worker('w1').status).toBe('cordoned');
    expect(h.effectsOf('alert')).toMatchObject([{ alert: 'workerIdle', about: { worker: 'w1' } }]);
    // Beats do not lift it, and the task goes to another worker, uncharged.
    h.advance(60_000);
    expect(run.tasks[0]).toMatchObject({ state: 'QUEUED', charged: 0 });
    h.addWorker({ name: 'w2', total: { slots: 1 } });
    h.step();
    expect(h.attemptOf(run).workerName).toBe('w2');
    h.apply({ kind: 'uncordonWorker', worker: 'w1' });
    expect(h.worker('w1').status).toBe('healthy');
  });

  it('U007 is tried with one assignment after five minutes, for the link may be well again', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1' });
    const run = h.submit();
    h.step();
    for (let i = 0; i < 3; i++) ignore(h);
    const beat = () =>
      h.apply({ kind: 'beat', worker: 'w1', foreignUse: resources(), progress: [] });
    const wait = (seconds: number) => {
      for (let s = 0; s < seconds; s += 5) {
        h.advance(5_000);
        beat();
        h.step();
      }
    };
    wait(290);
    expect(h.worker('w1').status).toBe('cordoned');
    wait(10);
    expect(h.worker('w1').status).toBe('healthy');
    expect(h.attemptOf(run).workerName).toBe('w1');
    ignore(h);
    expect(h.worker('w1').status).toBe('cordoned');
    wait(300);
    const [attempt] = h.acceptAll();
    h.succeed(attempt as NonNullable<typeof attempt>);
    expect(h.worker('w1')).toMatchObject({ status: 'healthy', unaccepted: 0 });
  });

  it('U007 may start again after it attached again, unless a person cordoned it', () => {
    for (const byPerson of [false, true]) {
      const h = new Harness();
      h.addWorker({ name: 'w1' });
      h.submit();
      h.step();
      for (let i = 0; i < 3; i++) ignore(h);
      if (byPerson) h.apply({ kind: 'cordonWorker', worker: 'w1' });
      h.addWorker({ name: 'w1', instance: 'i2' });
      expect(h.worker('w1').status).toBe(byPerson ? 'cordoned' : 'healthy');
    }
  });

  it('U007 is not cordoned if it starts something in between', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1' });
    h.submit();
    h.step();
    ignore(h);
    ignore(h);
    const [attempt] = h.acceptAll();
    h.succeed(attempt as NonNullable<typeof attempt>);
    h.submit();
    h.step();
    ignore(h);
    ignore(h);
    expect(h.worker('w1').status).toBe('healthy');
    expect(h.effectsOf('alert')).toEqual([]);
  });
});

describe('a worker that refuses', () => {
  it('PLC-12: the task is tried elsewhere at once, with the reason told and nothing charged', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1', total: { slots: 2 } });
    h.addWorker({ name: 'w2', total: { slots: 2 } });
    const run = h.submit();
    h.step();
    const first = h.attemptOf(run);
    h.refuse(first, resources({ slots: 2 }));
    h.step();
    const second = h.attemptOf(run);
    expect(second.workerName).not.toBe(first.workerName);
    expect(second.number).toBe(2);
    expect(run.tasks[0]).toMatchObject({ charged: 0, attempts: 2 });
    expect(h.factsOf('taskRequeued').map((fact) => fact.reason)).toEqual(['refused']);
    expect(h.worker(first.workerName).free.slots).toBe(0);
  });

  it('PLC-12: a hundred refusals use up no retry', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1' });
    const run = h.submit({ retry: { attemptsMax: 2 } });
    h.step();
    for (let i = 0; i < 100; i++) {
      h.refuse(h.attemptOf(run));
      h.advance(h.engine.core.settings.restMs);
    }
    expect(run.tasks[0]).toMatchObject({ state: 'ASSIGNED', attempts: 101, charged: 0 });
  });

  it('PLC-12: without a word of what it holds it rests for a moment, and then is asked again', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1' });
    const run = h.submit();
    h.step();
    h.refuse(h.attemptOf(run), null);
    h.step();
    expect(h.worker('w1').status).toBe('resting');
    h.advance(h.engine.core.settings.restMs - 1);
    expect(run.tasks[0]?.state).toBe('QUEUED');
    h.advance(1);
    expect(run.tasks[0]?.state).toBe('ASSIGNED');
  });

  it('PLC-12: although by its own word there is room it rests too, instead of being asked for ever', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1', total: { slots: 4 } });
    const run = h.submit();
    h.step();
    h.refuse(h.attemptOf(run), resources({ slots: 1 }));
    h.step();
    expect(run.tasks[0]?.state).toBe('QUEUED');
    h.advance(h.engine.core.settings.restMs);
    expect(run.tasks[0]?.state).toBe('ASSIGNED');
  });

  it('PLC-12: what its word leaves room for is placed there at once', () => {
    const h = new Harness();
    const foreignUse = resources({ slots: 3 });
    h.addWorker({ name: 'w1', total: { slots: 4, gpu: 1 }, foreignUse });
    const onGpu = h.submit({ request: { gpu: 1 } });
    const large = h.submit({ request: { slots: 3 } });
    h.step();
    expect(large.tasks[0]?.state).toBe('QUEUED');
    h.refuse(h.attemptOf(onGpu), resources({ gpu: 1 }));
    h.step();
    expect(large.tasks[0]?.state).toBe('ASSIGNED');
    expect(onGpu.tasks[0]?.state).toBe('QUEUED');
  });
});
