import { describe, expect, expectTypeOf, it } from 'vitest';
import { cel, job, optional, type Pipeline, pipeline } from '../index.ts';
import { simulate } from '../testing/index.ts';

interface Day {
  readonly day: string;
  readonly files: readonly string[];
}

const INPUT = { day: '2026-01-01', files: ['x', 'y'] };
const once = { maxAttempts: 1, onExhausted: 'fail' } as const;

describe('inputs made of several outputs', () => {
  it('come after each of them, in lists and objects', async () => {
    const both = pipeline('both', (p: Pipeline<Day>) => {
      const a = p.task('a', () => 7);
      const b = p.task('b', () => ({ text: 'seven' }));
      return p.task(
        'join',
        {
          inputs: {
            both: [a, b.output.text, 'fixed'],
            deep: { of: { day: p.input.day, a }, n: 1 },
          },
        },
        (given) => {
          expectTypeOf(given.both).toEqualTypeOf<[number, string, string]>();
          expectTypeOf(given.deep).toEqualTypeOf<{ of: { day: string; a: number }; n: number }>();
          return given;
        },
      );
    });
    expect(both.definition.tasks?.[2]).toEqual({
      name: 'join',
      after: ['a', 'b'],
      inputs: {
        both: { list: [{ task: 'a' }, { task: 'b', path: 'text' }, { value: 'fixed' }] },
        deep: {
          object: {
            of: { object: { day: { path: 'day' }, a: { task: 'a' } } },
            n: { value: 1 },
          },
        },
      },
      handler: 'both.join',
    });
    await using t = await simulate({ jobs: [both] });
    const run = await t.submit(both, INPUT);
    await t.advance('1s');
    expect(await run.result()).toEqual({
      both: [7, 'seven', 'fixed'],
      deep: { of: { day: '2026-01-01', a: 7 }, n: 1 },
    });
  });

  it('are constants where no output is in them', () => {
    const { definition } = pipeline('p', (p) =>
      p.task('a', { inputs: { list: [1, [2]], object: { at: { x: null } } } }, () => 1),
    );
    expect(definition.tasks?.[0]?.inputs).toEqual({
      list: { value: [1, [2]] },
      object: { value: { at: { x: null } } },
    });
  });

  it.each([
    [false, 'FAILED', 'the input both[1] is missing, because task broken is FAILED'],
    [true, 'SUCCEEDED', null],
  ])('lack what failed; optional: %s', async (isOptional, state, error) => {
    const lacking = pipeline('lacking', { failurePolicy: 'SKIP_FAILED' }, (p) => {
      const fine = p.task('fine', () => 1);
      const broken = p.task('broken', { retry: once }, (): number => {
        throw new Error('no');
      });
      const second = isOptional ? optional(broken) : broken;
      return p.task('join', { retry: once, inputs: { both: [fine, second] } }, ({ both }) => both);
    });
    await using t = await simulate({ jobs: [lacking] });
    const run = await t.submit(lacking);
    await t.advance('1m');
    const { tasks } = await run.view();
    expect(tasks[2]).toMatchObject({
      state,
      error: error === null ? null : expect.stringContaining(error),
    });
    if (isOptional) expect(await run.result()).toEqual([1, null]);
  });

  it('reach a nested run', async () => {
    const sum = job('sum', (input: { numbers: number[]; of: { day: string } }) => {
      return `${input.of.day}: ${input.numbers.reduce((a, b) => a + b, 0)}`;
    });
    const outer = pipeline('outer', (p: Pipeline<Day>) => {
      const a = p.task('a', () => 1);
      const b = p.task('b', () => 2);
      return p.run('sum', sum, { inputs: { numbers: [a, b], of: { day: p.input.day } } });
    });
    await using t = await simulate({ jobs: [outer, sum] });
    const run = await t.submit(outer, INPUT);
    await t.advance('10s');
    expect(await run.result()).toBe('2026-01-01: 3');
  });

  it('may be asked about in a condition', async () => {
    const asked = pipeline('asked', (p: Pipeline<Day>) => {
      const a = p.task('a', () => 1);
      const b = p.task('b', () => 5);
      const when = cel`${[a, b.output, 3]}.exists(n, n > 4) && ${{ at: [p.input.day] }}.at.size() == 1`;
      return p.task('after', { when }, () => 'yes');
    });
    expect(asked.definition.tasks?.[2]).toMatchObject({
      after: ['a', 'b'],
      when: '[tasks.a.output, tasks.b.output, 3].exists(n, n > 4) && {"at": [input.day]}.at.size() == 1',
    });
    await using t = await simulate({ jobs: [asked] });
    const run = await t.submit(asked, INPUT);
    await t.advance('1s');
    expect(await run.result()).toBe('yes');
  });

  it('are refused where they are nested too deep, or are of another pipeline', () => {
    const nest = (depth: number, value: unknown): unknown =>
      depth === 0 ? value : [nest(depth - 1, value)];
    expect(() =>
      pipeline('p', (p) => {
        const a = p.task('a', () => 1);
        p.task('b', { inputs: { deep: nest(5, a) } }, () => 1);
      }),
    ).toThrow('the task b of the pipeline p has more than 4 levels of nesting in its input deep');
  });
});

describe('p.dynamic', () => {
  it('takes a handler alone', async () => {
    const grows = pipeline('grows', (p: Pipeline<Day>) => {
      p.dynamic('plan', ({ day }) => ({ tasks: [{ name: `of-${day}`, sleep: { for: 1 } }] }));
    });
    expect(grows.definition.tasks).toEqual([
      { name: 'plan', dynamic: true, handler: 'grows.plan' },
    ]);
    await using t = await simulate({ jobs: [grows] });
    const run = await t.submit(grows, INPUT);
    await t.advance('1s');
    expect((await run.view()).tasks.map(({ name }) => name)).toEqual(['plan', 'of-2026-01-01']);
  });

  it('refuses to be without a handler', () => {
    const bare = (p: { dynamic(name: string, options: object): unknown }) => p.dynamic('plan', {});
    expect(() => pipeline('p', (p) => void bare(p as never))).toThrow(
      'the task plan of the pipeline p has no handler',
    );
  });
});

describe('a fan-out', () => {
  it('of the input of the run needs no task before it', async () => {
    const each = pipeline('each', (p: Pipeline<Day>) => {
      const upper = p.fanOut('upper', { from: p.input.files }, ({ item, total }) => {
        expectTypeOf(item).toEqualTypeOf<string>();
        return `${item.toUpperCase()} of ${total}`;
      });
      return p.task('join', { inputs: { upper } }, (given) =>
        given.upper.results.map(({ output }) => output),
      );
    });
    expect(each.definition.tasks?.[0]).toEqual({
      name: 'upper',
      fanOut: { path: 'files' },
      handler: 'each.upper',
    });
    await using t = await simulate({ jobs: [each] });
    const run = await t.submit(each, INPUT);
    await t.advance('1s');
    expect(await run.result()).toEqual(['X of 2', 'Y of 2']);
    const wrong = await t.submit(each, { day: 'x' } as never);
    await t.advance('1s');
    await expect(wrong.result()).rejects.toThrow(
      'the input of the run has no files, or is not JSON',
    );
  });

  it('that is returned gives its parts as the output of the run', async () => {
    const parts = pipeline('parts', { failurePolicy: 'SKIP_FAILED' }, (p: Pipeline<Day>) => {
      const list = p.task('list', ({ files }) => files);
      return p.fanOut('each', { from: list.output, retry: once }, ({ item }) => {
        if (item === 'y') throw new Error('no y');
        return item.toUpperCase();
      });
    });
    await using t = await simulate({ jobs: [parts] });
    const run = await t.submit(parts, INPUT);
    await t.advance('1m');
    expect(await run.result()).toEqual({
      state: 'SUCCEEDED',
      total: 2,
      results: [{ partition: 0, output: 'X' }],
      failures: [{ task: 'each_chunk_1', partition: 1, state: 'FAILED', error: 'no y' }],
    });
  });
});
