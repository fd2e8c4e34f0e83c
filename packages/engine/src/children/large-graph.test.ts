import { describe, expect, it } from 'vitest';
import type { Attempt } from '../model/run.ts';
import type { TaskDefinition } from '../model/spec.ts';
import { dumpRun } from '../testing/book-dump.ts';
import { percentile } from '../testing/drive.ts';
import { Recorded } from '../testing/recorded.ts';

const SIZE = 10_000;

const CHAIN: TaskDefinition[] = Array.from({ length: SIZE }, (_, i) => ({
  name: `t${i}`,
  after: i === 0 ? [] : [`t${i - 1}`],
}));
/** One task, then all others but one, then one that waits for them all. */
const FAN: TaskDefinition[] = [
  { name: 'root' },
  ...Array.from({ length: SIZE - 2 }, (_, i) => ({ name: `f${i}`, after: ['root'] })),
  { name: 'join', after: Array.from({ length: SIZE - 2 }, (_, i) => `f${i}`) },
];

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
  /** How long each completion of a chain took to be decided, the next task's assignment included. */
  function completions(length: number): number[] {
    const { h, run } = setup(CHAIN.slice(0, length));
    h.step();
    const took = Array.from({ length }, (_, i) => {
      const attempt = h.attemptOf(run, i);
      const startedAt = performance.now();
      h.succeed(attempt);
      h.step();
      return performance.now() - startedAt;
    });
    expect(run.state).toBe('SUCCEEDED');
    expect(h.factsOf('taskAssigned')).toHaveLength(length);
    return took;
  }

  it('DAG-21 U069 in a chain: each completion is decided in no time, however long the chain', () => {
    const short = completions(1_000);
    const long = completions(SIZE);
    expect(percentile(short, 0.95)).toBeLessThan(10);
    expect(percentile(long, 0.95)).toBeLessThan(10);
    // Ten times the tasks must not be ten times the time.
    expect(percentile(long, 0.5)).toBeLessThan(5 * percentile(short, 0.5) + 0.1);
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
