import { describe, expect, it } from 'vitest';
import type { Attempt } from '../model/run.ts';
import type { TaskDefinition } from '../model/spec.ts';
import { dumpRun } from '../testing/book-dump.ts';
import { percentile } from '../testing/drive.ts';
import { Recorded } from '../testing/recorded.ts';

const SIZE = 10_000;

const chain = (length: number): TaskDefinition[] =>
  Array.from({ length }, (_, i) => ({ name: `t${i}`, after: i === 0 ? [] : [`t${i - 1}`] }));
/** One task, then all others but one, then one that waits for them all. */
const fan = (length: number): TaskDefinition[] => [
  { name: 'root' },
  ...Array.from({ length: length - 2 }, (_, i) => ({ name: `f${i}`, after: ['root'] })),
  { name: 'join', after: Array.from({ length: length - 2 }, (_, i) => `f${i}`) },
];
const CHAIN = chain(SIZE);
const FAN = fan(SIZE);

function setup(tasks: TaskDefinition[]) {
  // At once: how fast a large run is handed out is looked at elsewhere.
  const h = new Recorded({ settings: { readyPerSecond: SIZE } });
  h.addWorker({ total: { slots: SIZE } });
  const run = h.submit({ tasks, graph: { limits: { readyPerSecond: SIZE } } });
  return { h, run };
}

/** The fan with everything but the join running. */
function fannedOut() {
  const world = setup(FAN);
  world.h.succeed(world.h.acceptAll()[0] as Attempt);
  const live = world.h.acceptAll();
  expect(live).toHaveLength(SIZE - 2);
  return { ...world, live };
}

const cancel = (h: Recorded) =>
  h.apply({ kind: 'cancel', partition: 0, seq: 1, by: 'ann', reason: '' });

describe('a run of ten thousand tasks', () => {
  /**
   * How long each completion took to be decided, the assignment of the next task included, and how
   * often it read a task of the run.
   */
  function completions(tasks: TaskDefinition[]): { tookMs: number[]; reads: number[] } {
    const { h, run } = setup(tasks);
    h.step();
    let count = 0;
    const counted = new Proxy(run.tasks, {
      get: (target, key) => {
        count++;
        return Reflect.get(target, key);
      },
    });
    const reads: number[] = [];
    const tookMs = tasks.map((_, i) => {
      const attempt = h.attemptOf(run, i);
      Object.assign(run, { tasks: counted });
      const before = count;
      const startedAt = performance.now();
      h.succeed(attempt);
      h.step();
      const endedAt = performance.now();
      reads.push(count - before);
      return endedAt - startedAt;
    });
    expect(run.state).toBe('SUCCEEDED');
    expect(h.factsOf('taskAssigned')).toHaveLength(tasks.length);
    return { tookMs, reads };
  }

  it.each([
    ['chain', chain],
    ['fan', fan],
  ])('DAG-21 U069 in a %s: each completion is decided in no time, at any size', (_shape, of) => {
    const small = completions(of(1_000));
    const large = completions(of(SIZE));
    expect(percentile(small.tookMs, 0.95)).toBeLessThan(10);
    expect(percentile(large.tookMs, 0.95)).toBeLessThan(10);
    // The first of a fan releases all the others, and the last of a run records them all.
    const most = ({ reads }: { reads: number[] }) => Math.max(...reads.slice(1, -1));
    expect(most(large)).toBe(most(small));
    expect(most(large)).toBeLessThan(20);
  });

  it('fans out and in', () => {
    const { h, run, live } = fannedOut();
    for (const attempt of live.slice(1)) h.succeed(attempt);
    h.step();
    expect(run.tasks.at(-1)?.state).toBe('PENDING');
    h.succeed(live[0] as Attempt);
    h.step();
    h.succeed(h.attemptOf(run, SIZE - 1));
    expect(run.state).toBe('SUCCEEDED');
  });

  it.each([
    ['chain', CHAIN],
    ['fan', FAN],
  ])('is cancelled at once before anything of it runs: %s', (_shape, tasks) => {
    const { h, run } = setup(tasks);
    cancel(h);
    h.flush();
    expect(run.state).toBe('CANCELLED');
    expect(run.tasks.every((task) => task.state === 'CANCELLED')).toBe(true);
    expect(h.factsOf('runEnded')).toHaveLength(1);
  });

  it.each([
    ['cancelled', 'CANCELLED', (h) => void cancel(h)],
    ['failed', 'FAILED', (h, live) => h.fail(live[0] as Attempt, { class: 'permanent' })],
  ] satisfies [string, string, (h: Recorded, live: Attempt[]) => void][])(
    'is %s while nearly all of it runs',
    (_how, end, happen) => {
      const { h, run, live } = fannedOut();
      happen(h, live);
      h.flush();
      const running = h.live();
      expect(h.effectsOf('abort')).toHaveLength(running.length);
      for (const attempt of running) h.finish(attempt, { kind: 'stopped' });
      h.flush();
      expect(run.state).toBe(end);
      expect(h.book.runs.size).toBe(0);
      expect(h.worker('w1').free.slots).toBe(SIZE);
    },
  );

  it('ends when every one of its tasks fails', () => {
    const { h, run, live } = fannedOut();
    for (const attempt of live) h.fail(attempt, { class: 'permanent' });
    h.flush();
    expect(run.state).toBe('FAILED');
  });

  it('is rebuilt from its facts and from a checkpoint', () => {
    const { h, run, live } = fannedOut();
    for (const attempt of live.slice(0, 5_000)) h.succeed(attempt, new Uint8Array([1]));
    const checkpoint = h.saveCheckpoint();
    for (const from of [null, checkpoint]) {
      const book = h.store.rebuild(2, from);
      expect(dumpRun(book.runs.get(1) as typeof run)).toEqual(dumpRun(run));
    }
  });
});
