import { describe, expect, it } from 'vitest';
import type { Class } from '../model/classes.ts';
import type { Run } from '../model/run.ts';
import { Harness } from '../testing/harness.ts';

function change(h: Harness, run: Run, klass: Class) {
  const { partition, seq } = run;
  return h.apply({ kind: 'changeClass', partition, seq, class: klass, by: 'ann', reason: 'fire' });
}

describe('a change of class', () => {
  it('PRI-09: moves a queued task at once: it goes before all that it waited behind', () => {
    const h = new Harness();
    const others = [0, 1, 2].map((klass) => h.submit({ class: klass as Class }));
    const run = h.submit({ class: 2 });
    expect(change(h, run, 0)).toEqual({ kind: 'done' });
    h.addWorker({ total: { slots: 2 } });
    h.step();
    expect(h.factsOf('taskAssigned').map((fact) => fact.seq)).toEqual([others[0]!.seq, run.seq]);
    expect(h.attemptOf(run).class).toBe(0);
  });

  it('PRI-09: keeps its age: in the new class it goes before what is younger', () => {
    const h = new Harness();
    const old = h.submit({ class: 2 });
    const young = h.submit({ class: 0 });
    change(h, old, 0);
    h.addWorker({ total: { slots: 1 } });
    h.step();
    expect(old.tasks[0]?.state).toBe('ASSIGNED');
    expect(young.tasks[0]?.state).toBe('QUEUED');
  });

  it('PRI-09: lets a running task run on, and counts for whatever of it runs later', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 1 } });
    const run = h.submit({ class: 2, tasks: [{ name: 'a' }, { name: 'b', after: ['a'] }] });
    const [attempt] = h.acceptAll();
    change(h, run, 0);
    h.step();
    expect(h.live()).toEqual([attempt]);
    expect(attempt).toMatchObject({ class: 2, task: { state: 'RUNNING' } });
    expect(h.effectsOf('abort')).toEqual([]);
    h.submit({ class: 1 });
    h.succeed(attempt!);
    h.step();
    expect(h.attemptOf(run, 1).class).toBe(0);
  });

  it('PRI-09: is written down with who and why, and a change to the same class is not', () => {
    const h = new Harness();
    const run = h.submit({ class: 2 });
    change(h, run, 0);
    change(h, run, 0);
    h.flush();
    const { partition, seq } = run;
    expect(h.factsOf('runClassChanged')).toEqual([
      { kind: 'runClassChanged', partition, seq, at: h.now, class: 0, by: 'ann', reason: 'fire' },
    ]);
  });

  it('PRI-09: back and forth leaves one task, once in one queue', () => {
    const h = new Harness();
    const runs = [1, 2, 3].map(() => h.submit({ class: 1 }));
    for (const klass of [0, 1, 2, 1, 0, 1] as const) change(h, runs[1]!, klass);
    expect(h.engine.core.queues.size).toEqual([0, 3, 0]);
    h.addWorker({ total: { slots: 10 } });
    h.step();
    expect(h.factsOf('taskAssigned').map((fact) => fact.seq)).toEqual(runs.map((run) => run.seq));
  });

  it('of a run that is not live is refused', () => {
    const h = new Harness();
    const answer = h.apply({
      kind: 'changeClass',
      partition: 0,
      seq: 99,
      class: 0,
      by: 'ann',
      reason: 'fire',
    });
    expect(answer).toMatchObject({ kind: 'refused', code: 'not_found' });
  });
});
