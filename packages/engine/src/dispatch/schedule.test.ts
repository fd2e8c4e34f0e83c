import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import type { Class } from '../model/classes.ts';
import { buildSpec } from '../testing/builders.ts';
import { Harness } from '../testing/harness.ts';

/** Run numbers in the order in which they were assigned. */
function order(h: Harness): number[] {
  return h.factsOf('taskAssigned').map((fact) => fact.seq);
}

const classes: readonly Class[] = [0, 1, 2];
const submissions = fc.array(
  fc.record({ class: fc.constantFrom(...classes), slots: fc.integer({ min: 1, max: 3 }) }),
  { minLength: 1, maxLength: 60, size: 'max' },
);

describe('the order of assignments', () => {
  it('PRI-02: is strict between classes, and by age within a tenant and class', () => {
    assertProperty(
      fc.property(submissions, (list) => {
        const h = new Harness();
        const runs = list.map((each) =>
          h.submit({ class: each.class, request: { slots: each.slots } }),
        );
        h.addWorker({ total: { slots: 1_000 } });
        h.step();
        const expected = runs.toSorted((a, b) => a.class - b.class || a.seq - b.seq);
        expect(order(h)).toEqual(expected.map((run) => run.seq));
      }),
      { numRuns: 30 },
    );
  });

  it('PRI-02: no task starts while a placeable one of a more urgent class waits', () => {
    assertProperty(
      fc.property(submissions, fc.integer({ min: 3, max: 8 }), (list, slots) => {
        const h = new Harness();
        h.addWorker({ total: { slots } });
        const runs = list.map((each) =>
          h.submit({ class: each.class, request: { slots: each.slots } }),
        );
        h.step();
        while (h.live().length > 0) {
          const started = h.factsOf('taskAssigned').length;
          h.succeed(h.live()[0]!);
          const freeBefore = h.worker('w1').free.slots;
          h.step();
          // What was handed out in this step left nothing more urgent behind that had fitted.
          let free = freeBefore;
          for (const fact of h.factsOf('taskAssigned').slice(started)) {
            const run = runs.find((each) => each.seq === fact.seq)!;
            const passedOver = runs.filter(
              ({ tasks: [task], class: klass }) =>
                task!.state === 'QUEUED' && klass < run.class && task!.shape.request.slots <= free,
            );
            expect(passedOver).toEqual([]);
            free -= run.tasks[0]!.shape.request.slots;
          }
        }
        expect(h.factsOf('runEnded').length).toBe(list.length);
      }),
      { numRuns: 20 },
    );
  });

  it('PRI-02: a task that comes back keeps its place', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 1 } });
    const runs = [1, 2, 3].map(() => h.submit());
    h.step();
    h.refuse(h.attemptOf(runs[0]!));
    h.advance(h.engine.core.settings.restMs);
    expect(h.live().map((attempt) => attempt.task.run)).toEqual([runs[0]]);
  });

  it('PLC-15: a step of limited size takes the most urgent first and the oldest of them', () => {
    const h = new Harness({ settings: { assignmentsPerStep: 100 } });
    const spec = (klass: Class) => buildSpec({ class: klass, job: `p${klass}` });
    for (let i = 0; i < 90; i++)
      for (const klass of [2, 0, 1] as const) h.submit({ spec: spec(klass) });
    h.addWorker({ total: { slots: 1_000 } });
    const more = h.engine.schedule(h.now, h.random);
    expect(more).toBe(true);
    const batch = h
      .flush()
      .effects.flatMap((e) => (e.kind === 'assign' ? [e.attempt.task.run] : []));
    expect(batch.length).toBe(100);
    expect(batch.map((run) => run.class)).toEqual([...Array(90).fill(0), ...Array(10).fill(1)]);
    const ages = batch.map((run) => run.seq);
    expect(ages.slice(0, 90)).toEqual(ages.slice(0, 90).toSorted((a, b) => a - b));
    expect(ages.slice(90)).toEqual(ages.slice(90).toSorted((a, b) => a - b));
    expect(h.engine.schedule(h.now, h.random)).toBe(true);
    expect(h.engine.schedule(h.now, h.random)).toBe(false);
    h.flush();
    expect(h.live().length).toBe(270);
  });

  it('WRK-15: tasks of 3 s start at once for 3 days beside tasks that take as long as that', () => {
    const [second, hour] = [1_000, 3_600_000];
    const h = new Harness();
    for (const name of ['w1', 'w2']) h.addWorker({ name, total: { slots: 3 } });
    const long = [1, 2, 3, 4].map(() => h.submit({ job: 'long' }));
    h.acceptAll();
    for (let passed = 0; passed < 72; passed++) {
      const short = [1, 2].map(() => h.submit({ job: 'short' }));
      h.acceptAll();
      for (const run of short) expect(h.attemptOf(run).assignedAt).toBe(h.now);
      h.advance(3 * second);
      for (const run of short) h.succeed(h.attemptOf(run));
      h.advance(hour - 3 * second);
    }
    for (const run of long) h.succeed(h.attemptOf(run));
    h.flush();
    const ended = h.factsOf('runEnded');
    expect(ended.map(({ state }) => state)).toEqual(Array(2 * 72 + 4).fill('SUCCEEDED'));
    expect(long.map((run) => run.tasks[0]?.attempts)).toEqual([1, 1, 1, 1]);
  });

  it('PLC-15: what is urgent and comes between two steps goes before what is left', () => {
    const h = new Harness({ settings: { assignmentsPerStep: 10 } });
    for (let i = 0; i < 30; i++) h.submit({ class: 2 });
    h.addWorker({ total: { slots: 100 } });
    h.engine.schedule(h.now, h.random);
    const urgent = h.submit({ class: 0 });
    h.step();
    expect(order(h)[10]).toBe(urgent.seq);
  });
});

describe('heads that cannot be placed', () => {
  it('U047: a thousand of them, of tenants of their own, hide nothing in the same step', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 2 } });
    for (let i = 0; i < 1_000; i++) {
      h.submit({ tenant: `t${i}`, class: (i % 2) as Class, labels: { machine: `m${i}` } });
    }
    const last = h.submit({ tenant: 'last', class: 2 });
    h.step();
    expect(order(h)).toEqual([last.seq]);
  });

  it('U047: those of a tenant do not hide its own next task, nor one of another shape', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 2 } });
    for (let i = 0; i < 1_000; i++) h.submit({ request: { slots: 3 }, labels: { on: `m${i}` } });
    const small = h.submit();
    const other = h.submit({ request: { slots: 1, cpuMilli: 0 }, executor: 'none' });
    const next = h.submit();
    h.step();
    expect(order(h)).toEqual([small.seq, next.seq]);
    expect(other.tasks[0]?.state).toBe('QUEUED');
  });

  it('U047: a task that must stay apart does not hide the next of its job, elsewhere', () => {
    const h = new Harness();
    h.addWorker({ name: 'w1', total: { slots: 9 } });
    h.submit({ job: 'noisy' });
    h.step();
    const apart = h.submit({ job: 'quiet', apart: ['noisy'] });
    const free = h.submit({ job: 'plain' });
    h.step();
    expect(apart.tasks[0]?.state).toBe('QUEUED');
    expect(free.tasks[0]?.state).toBe('ASSIGNED');
    h.addWorker({ name: 'w2', total: { slots: 9 } });
    h.step();
    expect(h.attemptOf(apart).workerName).toBe('w2');
  });
});

describe('back-pressure', () => {
  it('holds back the classes it names, and no other', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 100 } });
    const runs = classes.map((klass) => h.submit({ class: klass }));
    const states = (): string[] => runs.map((run) => run.tasks[0]!.state);
    h.apply({ kind: 'pauseFrom', class: 0 });
    h.step();
    expect(states()).toEqual(['QUEUED', 'QUEUED', 'QUEUED']);
    h.apply({ kind: 'pauseFrom', class: 1 });
    h.step();
    expect(states()).toEqual(['ASSIGNED', 'QUEUED', 'QUEUED']);
    h.apply({ kind: 'pauseFrom', class: 3 });
    h.step();
    expect(states()).toEqual(['ASSIGNED', 'ASSIGNED', 'ASSIGNED']);
  });
});
