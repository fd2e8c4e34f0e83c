import { describe, expect, it } from 'vitest';
import type { GraphDefinition } from '../model/graph-spec.ts';
import type { Attempt, Task } from '../model/run.ts';
import type { TaskDefinition } from '../model/spec.ts';
import { Recorded } from '../testing/recorded.ts';

const MINUTE = 60_000;

function submitted(tasks: TaskDefinition[], graph: GraphDefinition = {}, slots = 100): Recorded {
  const h = new Recorded();
  if (slots > 0) h.addWorker({ total: { slots } });
  h.submit({ tasks, graph });
  return h;
}

describe('DAG-25 the watchdog', () => {
  it('tells of a run in which nothing happens for half an hour, once', () => {
    const h = submitted([{ name: 'a' }, { name: 'b', after: ['a'] }]);
    const [first] = h.acceptAll();
    h.advance(2 * MINUTE);
    h.succeed(first as Attempt);
    h.acceptAll();
    h.advance(30 * MINUTE - 1);
    expect(h.effectsOf('alert')).toEqual([]);
    // It looks every five minutes.
    h.advance(5 * MINUTE + 1);
    expect(h.effectsOf('alert')).toMatchObject([{ alert: 'runStuck' }]);
    h.advance(10 * MINUTE);
    expect(h.effectsOf('alert')).toHaveLength(1);
  });

  it('tells of a run that takes twice as long as expected, and not of one that sleeps', () => {
    const h = submitted([{ name: 'a' }, { name: 'b', after: ['a'] }], { expectedMs: 9 * MINUTE });
    h.acceptAll();
    h.advance(18 * MINUTE);
    expect(h.effectsOf('alert')).toEqual([]);
    h.advance(5 * MINUTE);
    expect(h.effectsOf('alert')).toMatchObject([{ alert: 'runStuck' }]);
    const asleep = submitted([
      { name: 'a' },
      { name: 'b', after: ['a'], sleep: { forMs: 9_000_000 } },
    ]);
    asleep.succeed(asleep.acceptAll()[0] as Attempt);
    asleep.advance(8_000_000);
    expect(asleep.effectsOf('alert')).toEqual([]);
  });

  it('DAG-27 leaves two notifications where it tells of both at once', () => {
    const graph = { expectedMs: 600_000, notify: { onAlert: [{}] } };
    const h = submitted([{ name: 'a' }, { name: 'b', after: ['a'] }], graph);
    h.acceptAll();
    // In one leap: the node stood still, and both are due when it looks again.
    h.now += 2_400_000;
    h.tick();
    h.flush();
    const told = h.effectsOf('notify').map(({ notification }) => notification);
    expect(told.map(({ detail }) => detail.slice(0, 17))).toEqual([
      'the run has taken',
      'the run has made ',
    ]);
    expect([...h.book.notifications.keys()]).toEqual(told.map(({ id }) => id));
    for (const { id } of told) h.apply({ kind: 'notified', partition: 0, id, delivered: true });
    expect(h.book.notifications.size).toBe(0);
  });

  it.each([
    ['a person', { approval: {} }],
    ['an event', { event: { type: 'paid' } }],
    ['its time', { sleep: { forMs: 90_000_000 } }],
    ['another run', { run: { job: 'other' } }],
  ])('is quiet about a run that has waited for %s from its first moment', (_what, step) => {
    const h = submitted([
      { name: 'wait', ...step },
      { name: 'b', after: ['wait'] },
    ]);
    h.advance(8_000_000);
    expect(h.effectsOf('alert')).toEqual([]);
    expect(h.run(1).state).toBe('RUNNING');
  });

  it('is quiet about a run that waits for a worker to be free, as all behind it do', () => {
    const h = new Recorded();
    h.submit({ tasks: [{ name: 'a' }, { name: 'b' }] });
    h.advance(8_000_000);
    expect(h.effectsOf('alert')).toEqual([]);
  });

  it('U015 tells of a wait whose time nobody looks at any more', () => {
    const h = submitted([
      { name: 'night', sleep: { forMs: 60_000 } },
      { name: 'b', after: ['night'] },
    ]);
    // As a bug would leave it: to end by itself, and without a timer.
    h.engine.core.wheel.disarm(h.run(1).tasks[0] as Task);
    h.advance(2_400_000);
    expect(h.effectsOf('alert')).toMatchObject([{ alert: 'runStuck' }]);
  });

  it('tells of a run that has not begun and is in nobody’s hands', () => {
    const h = submitted([{ name: 'a' }, { name: 'b' }], {}, 0);
    for (const task of h.run(1).tasks) {
      h.engine.core.queues.remove(task);
      task.state = 'PENDING';
    }
    h.advance(2_400_000);
    expect(h.effectsOf('alert')).toMatchObject([{ alert: 'runStuck' }]);
  });
});
