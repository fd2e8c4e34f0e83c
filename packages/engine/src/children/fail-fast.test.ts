import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { seededRandom } from '../model/random.ts';
import type { Attempt } from '../model/run.ts';
import type { TaskDefinition } from '../model/spec.ts';
import { Harness } from '../testing/harness.ts';

/** A random graph: every task waits for up to four that come before it. */
function randomGraph(seed: number, size: number): TaskDefinition[] {
  const random = seededRandom(seed);
  return Array.from({ length: size }, (_, i) => {
    const parents = new Set<string>();
    for (let n = random.int(5); i > 0 && n > 0; n--) parents.add(`t${random.int(i)}`);
    return { name: `t${i}`, after: [...parents] };
  });
}

const states = (h: Harness, seq = 1) => h.run(seq).tasks.map((task) => task.state);

describe('a graph', () => {
  it('DAG-04 DAG-23 DAG-28 TRG-25 starts no task before all its parents succeeded, in any order of completion', () => {
    assertProperty(
      fc.property(fc.nat(), fc.nat(), (graph, order) => {
        const h = new Harness();
        const random = seededRandom(order);
        h.addWorker({ total: { slots: 1 + random.int(40) } });
        const run = h.submit({ tasks: randomGraph(graph, 200) });
        const succeeded = new Set<number>();
        while (run.state !== 'SUCCEEDED') {
          const live = h.acceptAll();
          for (const { task } of live) {
            expect(task.spec.after.filter((parent) => !succeeded.has(parent))).toEqual([]);
          }
          const attempt = live[random.int(live.length)] as Attempt;
          succeeded.add(attempt.task.index);
          h.succeed(attempt);
        }
        h.flush();
        expect(h.factsOf('taskAssigned')).toHaveLength(200);
        expect(new Set(h.factsOf('taskAssigned').map(({ task }) => task)).size).toBe(200);
        expect(run.tasks.every((task) => task.state === 'SUCCEEDED')).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('DAG-05 queues all its roots at once', () => {
    const h = new Harness();
    const roots = Array.from({ length: 10 }, (_, i) => ({ name: `r${i}` }));
    h.submit({ tasks: [...roots, { name: 'join', after: roots.map(({ name }) => name) }] });
    expect(states(h)).toEqual([...roots.map(() => 'QUEUED'), 'PENDING']);
  });

  it('DAG-22 queues a task once, however its last parents end', () => {
    const h = new Harness();
    h.addWorker();
    const run = h.submit({
      tasks: [{ name: 'a' }, { name: 'b' }, { name: 'c', after: ['a', 'b'] }],
    });
    const [a, b] = h.acceptAll() as [Attempt, Attempt];
    h.succeed(b);
    h.succeed(a);
    h.succeed(a);
    h.succeed(b);
    h.step();
    expect(h.factsOf('taskAssigned').filter(({ task }) => task === 2)).toHaveLength(1);
    expect(run.tasks[2]).toMatchObject({ state: 'ASSIGNED', attempts: 1 });
  });

  it('DAG-11 ends with the first task that does not succeed: what waits is cancelled, what runs is stopped', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 3 } });
    const run = h.submit({
      tasks: [
        { name: 'done' },
        { name: 'runs' },
        { name: 'fails' },
        { name: 'queued' },
        { name: 'pending', after: ['fails'] },
      ],
    });
    const [done] = h.acceptAll();
    h.succeed(done as Attempt);
    h.apply({ kind: 'cordonWorker', worker: 'w1' });
    h.step();
    expect(states(h)).toEqual(['SUCCEEDED', 'RUNNING', 'RUNNING', 'QUEUED', 'PENDING']);
    h.fail(h.attemptOf(run, 2), { class: 'permanent', error: 'no' });
    h.flush();
    expect(states(h)).toEqual(['SUCCEEDED', 'RUNNING', 'FAILED', 'CANCELLED', 'CANCELLED']);
    expect(run.state).toBe('RUNNING');
    expect(h.effectsOf('abort')).toMatchObject([{ why: 'upstream_failed', ref: { task: 1 } }]);
    h.finish(h.attemptOf(run, 1), { kind: 'stopped' });
    h.flush();
    expect(run.tasks.map((task) => task.state)).toEqual([
      'SUCCEEDED',
      'CANCELLED',
      'FAILED',
      'CANCELLED',
      'CANCELLED',
    ]);
    expect(run.state).toBe('FAILED');
    const cancelled = h.factsOf('taskCancelled').map(({ task, reason }) => [task, reason]);
    expect(cancelled).toEqual([
      [3, 'upstream_failed'],
      [4, 'upstream_failed'],
    ]);
  });

  it('DAG-11 what was to be tried again is not, once another task has failed', () => {
    const h = new Harness();
    h.addWorker();
    const run = h.submit({ tasks: [{ name: 'a' }, { name: 'b' }] });
    h.acceptAll();
    h.fail(h.attemptOf(run, 0));
    expect(run.tasks[0]?.state).toBe('PENDING');
    h.fail(h.attemptOf(run, 1), { class: 'permanent' });
    h.advance(3_600_000);
    expect(run.tasks.map((task) => task.state)).toEqual(['CANCELLED', 'FAILED']);
    expect(run.tasks[0]?.attempts).toBe(1);
  });

  it('ends as a whole when it is cancelled', () => {
    const h = new Harness();
    h.addWorker({ total: { slots: 2 } });
    const run = h.submit({
      tasks: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd', after: ['a'] }],
    });
    h.acceptAll();
    h.apply({ kind: 'cancel', partition: 0, seq: 1, by: 'ann', reason: '' });
    h.flush();
    expect(states(h)).toEqual(['RUNNING', 'RUNNING', 'CANCELLED', 'CANCELLED']);
    h.finish(h.attemptOf(run, 0), { kind: 'stopped' });
    h.succeed(h.attemptOf(run, 1));
    h.flush();
    expect(run.tasks.map((task) => task.state)).toEqual([
      'CANCELLED',
      'SUCCEEDED',
      'CANCELLED',
      'CANCELLED',
    ]);
    expect(run.state).toBe('CANCELLED');
  });
});
