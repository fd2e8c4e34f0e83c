import { describe, expect, it } from 'vitest';
import { parseDetail, resultOutput } from '../facts/detail.ts';
import { decodeText, encodeText } from '../facts/text.ts';
import { taskName } from '../model/graph.ts';
import type { GraphDefinition } from '../model/graph-spec.ts';
import type { Attempt, Run, Task } from '../model/run.ts';
import { dumpBook } from '../testing/book-dump.ts';
import { Recorded } from '../testing/recorded.ts';

const json = (value: unknown) => encodeText(JSON.stringify(value));
const TASKS = [
  { name: 'split' },
  { name: 'each', after: ['split'], fanOut: { from: 'split' } },
  { name: 'join', after: ['each'] },
];

function setup(graph: GraphDefinition = {}, settings = {}) {
  const h = new Recorded({ settings });
  h.addWorker({ total: { slots: 1_000_000 } });
  const run = h.submit({ tasks: TASKS, graph });
  /** The parent asks for children. */
  const ask = (output: unknown) => {
    h.succeed(h.acceptAll()[0] as Attempt, json(output));
    h.flush();
  };
  return { h, run, ask };
}

const children = (run: Run) => run.tasks.filter((task) => task.part?.group != null);

describe('a fan-out', () => {
  it.each([
    ['a number', 100],
    ['a total', { total: 100 }],
    ['a list', Array.from({ length: 100 }, (_, i) => i)],
  ])(
    'DAG-06 DAG-07 U099 F21 makes a child for each of %s, and what joins them begins once, after the last',
    (_what, output) => {
      const { h, run, ask } = setup();
      ask(output);
      expect(children(run).map(taskName)).toEqual(
        Array.from({ length: 100 }, (_, i) => `each_chunk_${i}`),
      );
      expect(h.factsOf('taskFannedOut')).toMatchObject([{ count: 100 }]);
      const live = h.acceptAll();
      expect(live).toHaveLength(100);
      for (const attempt of live.slice(1)) h.succeed(attempt);
      h.step();
      expect(run.tasks[2]?.state).toBe('PENDING');
      h.succeed(live[0] as Attempt);
      const joins = h.acceptAll();
      expect(joins.map(({ task }) => task.spec.name)).toEqual(['join']);
      h.succeed(joins[0] as Attempt);
      expect(run.state).toBe('SUCCEEDED');
      expect(h.factsOf('taskAssigned').filter(({ task }) => task === 2)).toHaveLength(1);
    },
  );

  it('of nothing is over at once', () => {
    const { h, run, ask } = setup();
    ask([]);
    expect(run.tasks[1]?.state).toBe('SUCCEEDED');
    expect(h.acceptAll().map(({ task }) => task.spec.name)).toEqual(['join']);
  });

  it.each(['three', null, -1, 1.5, { totals: 3 }])(
    'fails its step where the output is %j',
    (output) => {
      const { run, ask } = setup();
      ask(output);
      expect(run.tasks[1]).toMatchObject({ state: 'FAILED' });
      expect(run.state).toBe('FAILED');
    },
  );

  it('DAG-08 above its limit pauses the run and tells somebody; nothing is made until it is raised', () => {
    const { h, run, ask } = setup({ limits: { readyPerSecond: 100_000 } });
    ask(10_001);
    expect(run.state).toBe('PAUSED');
    expect(run.graph?.paused?.why).toBe('fan_out_limit');
    expect(children(run)).toEqual([]);
    expect(h.effectsOf('alert')).toMatchObject([{ alert: 'runPaused' }]);
    const resume = (fanOutMax: number) =>
      h.apply({ kind: 'resumeRun', partition: 0, seq: 1, by: 'ann', fanOutMax });
    resume(0);
    h.flush();
    expect(run.state).toBe('PAUSED');
    h.takeOver();
    resume(20_000);
    h.flush();
    expect(h.run(1).state).toBe('RUNNING');
    expect(children(h.run(1))).toHaveLength(10_001);
  });

  it('DAG-08 of exactly its limit, 10,000 unless the job says otherwise, is made', () => {
    const { h, run, ask } = setup();
    ask(10_000);
    expect(run.state).toBe('RUNNING');
    expect(children(run)).toHaveLength(10_000);
    expect(h.effectsOf('alert')).toEqual([]);
  });

  it('DAG-08 above its limit may be cancelled', () => {
    const { h, run, ask } = setup();
    ask(10_001);
    expect(children(run)).toEqual([]);
    h.apply({ kind: 'cancel', partition: 0, seq: 1, by: 'ann', reason: 'too many' });
    expect(run.state).toBe('CANCELLED');
  });

  it('DAG-13 with failures lets the join begin under SKIP_FAILED, and knows which failed', () => {
    const { h, run, ask } = setup({ failurePolicy: 'SKIP_FAILED' });
    ask(100);
    const live = h.acceptAll();
    h.fail(live[47] as Attempt, { class: 'permanent' });
    for (const attempt of live.filter((_, i) => i !== 47)) h.succeed(attempt);
    const [join] = h.acceptAll();
    expect(join?.task.spec.name).toBe('join');
    const failed = children(run).filter(({ state }) => state === 'FAILED');
    expect(failed.map(taskName)).toEqual(['each_chunk_47']);
    h.succeed(join as Attempt);
    expect(run.state).toBe('PARTIAL');
  });

  it('DAG-22 I12 survives crashes at any time: derived anew, nothing twice', () => {
    const { h, ask } = setup();
    ask(20);
    for (let i = 0; i < 20; i++) {
      const [attempt] = h.acceptAll();
      h.succeed(attempt as Attempt, json(i));
      h.flush();
      const before = dumpBook(h.book);
      const checkpoint = i % 3 === 0 ? h.saveCheckpoint() : undefined;
      const held = h.heldBy('w1');
      h.takeOver(checkpoint === undefined ? {} : { checkpoint });
      expect(dumpBook(h.book)).toEqual(before);
      h.addWorker({ total: { slots: 1_000 }, holds: held });
    }
    const run = h.run(1);
    expect(h.acceptAll().map(({ task }) => task.spec.name)).toEqual(['join']);
    expect(run.tasks.filter((task: Task) => task.attempts > 1)).toEqual([]);
    expect(h.factsOf('taskFannedOut')).toHaveLength(1);
  });

  it('of the input of the run waits for the input where the run was recovered without it', () => {
    const h = new Recorded();
    const input = json({ files: ['x', 'y', 'z'] });
    const tasks = [{ name: 'each', fanOut: { path: 'files' } }];
    h.submit({ tasks, input, head: { dueAt: h.now + 60_000 } });
    h.flush();
    h.takeOver();
    h.advance(60_000);
    expect(h.factsOf('taskFannedOut')).toEqual([]);
    expect(h.effectsOf('loadInput')).toHaveLength(1);
    h.run(1).input = input;
    h.apply({ kind: 'reevaluate', partition: 0, seq: 1 });
    h.flush();
    expect(h.factsOf('taskFannedOut')).toMatchObject([{ count: 3 }]);
  });

  it('that nothing comes after gives what its children gave, up to 256 KiB', () => {
    const outputOf = (given: unknown) => {
      const h = new Recorded();
      h.addWorker({ total: { slots: 10 } });
      h.submit({ tasks: [{ name: 'each', fanOut: {} }], input: json(2) });
      for (const attempt of h.acceptAll()) h.succeed(attempt, json(given));
      h.flush();
      const [ended] = h.factsOf('runEnded');
      return ended && resultOutput(parseDetail(ended.detail, ended.ms), ended.output);
    };
    expect(JSON.parse(decodeText(outputOf('ok') as Uint8Array))).toEqual({
      state: 'SUCCEEDED',
      total: 2,
      results: [
        { partition: 0, output: 'ok' },
        { partition: 1, output: 'ok' },
      ],
      failures: [],
    });
    expect(outputOf('x'.repeat(140_000))).toBeNull();
  });
});
