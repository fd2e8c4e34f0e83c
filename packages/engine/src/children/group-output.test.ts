import { describe, expect, it } from 'vitest';
import { decodeText, encodeText } from '../facts/text.ts';
import type { GraphDefinition, StepDefinition } from '../model/graph-spec.ts';
import type { Attempt, Task } from '../model/run.ts';
import { Recorded } from '../testing/recorded.ts';
import type { GraphPorts } from './ports.ts';

const json = (value: unknown) => encodeText(JSON.stringify(value));

/** A fan-out over five items, and a task behind it that says `step`. */
function setup(step: StepDefinition, graph: GraphDefinition = {}) {
  const seen: unknown[] = [];
  const ports: GraphPorts = {
    judge: (expression, { tasks }) => {
      const output = tasks.get('each')?.output ?? null;
      seen.push(output === null ? null : JSON.parse(decodeText(output)));
      return expression === 'broken' ? { error: 'no such member' } : { value: true };
    },
    reads: () => ({ input: false, tasks: true }),
    readAddition: () => ({ error: 'nothing is added here' }),
  };
  const h = new Recorded({ graphPorts: ports });
  h.addWorker({ total: { slots: 100 } });
  const run = h.submit({
    tasks: [
      { name: 'split' },
      { name: 'each', after: ['split'], fanOut: { from: 'split' } },
      { name: 'next', after: ['each'], ...step },
    ],
    graph,
  });
  h.succeed(h.acceptAll()[0] as Attempt, json([1, 2, 3, 4, 5]));
  const finish = (outputOf: (partition: number) => Uint8Array | null) => {
    for (const attempt of h.acceptAll()) {
      const { partition = 0 } = attempt.task.part ?? {};
      const output = outputOf(partition);
      if (output === null) h.fail(attempt, { class: 'permanent' });
      else h.succeed(attempt, output);
    }
    h.flush();
  };
  const next = () => run.tasks[2] as Task;
  return { h, run, seen, finish, next };
}

describe('what a fan-out gave', () => {
  it('is seen by a condition behind it, failures too; written down it is nowhere', () => {
    const { h, run, seen, finish, next } = setup({ when: 'yes' }, { failurePolicy: 'SKIP_FAILED' });
    finish((i) => (i === 3 ? null : i === 4 ? encodeText('no JSON') : json({ rows: i })));
    expect(next().state).toBe('QUEUED');
    expect(seen).toEqual([
      {
        state: 'SUCCEEDED',
        total: 5,
        results: [
          { partition: 0, output: { rows: 0 } },
          { partition: 1, output: { rows: 1 } },
          { partition: 2, output: { rows: 2 } },
          { partition: 4 },
        ],
        failures: [
          { task: 'each_chunk_3', partition: 3, state: 'FAILED', error: expect.any(String) },
        ],
      },
    ]);
    expect(run.tasks[1]?.output).toBeNull();
    expect(h.factsOf('taskSucceeded').filter(({ task }) => task === 1)).toMatchObject([
      { output: null },
    ]);
  });

  it('beyond the bound is seen as a count, and whoever wanted more is told why', () => {
    const { seen, finish, next } = setup({ when: 'broken' });
    finish(() => json('x'.repeat(60_000)));
    expect(seen).toEqual([{ state: 'SUCCEEDED', total: 5 }]);
    expect(next().error).toBe(
      'the condition of the task cannot be evaluated: no such member; the results of each are too large for a condition to read',
    );
  });

  it('within the bound explains nothing that it is not to blame for', () => {
    const { finish, next } = setup({ when: 'broken' });
    finish(() => json(1));
    expect(next().error).toBe('the condition of the task cannot be evaluated: no such member');
  });

  it.each([
    ['each child', '', 5],
    ['each result', 'results', 4],
    ['each failure', 'failures', 1],
    ['a list in one of the results', 'results.0.output.parts', 3],
  ])('is fanned out again: once for %s', (_what, path, count) => {
    const { h, run, finish } = setup(
      { fanOut: { from: 'each', path } },
      { failurePolicy: 'SKIP_FAILED' },
    );
    finish((i) => (i === 2 ? null : json({ parts: [1, 2, 3] })));
    expect(h.factsOf('taskFannedOut').at(-1)).toMatchObject({ task: 2, count });
    for (const attempt of h.acceptAll()) h.succeed(attempt);
    expect(run.state).toBe('PARTIAL');
    expect(run.tasks).toHaveLength(3 + 5 + count);
  });

  it('has no such member: the step fails and says so', () => {
    const { finish, next } = setup({ fanOut: { from: 'each', path: 'outcomes' } });
    finish(() => json(1));
    expect(next()).toMatchObject({
      state: 'FAILED',
      error: 'the output of each has no outcomes, or is not JSON',
    });
  });
});
