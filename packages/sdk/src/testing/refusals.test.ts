import { describe, expect, it } from 'vitest';
import { job, pipeline } from '../index.ts';
import { simulate } from './index.ts';

const one = job('one', (input: unknown) => input);
const two = pipeline('two', (p) => {
  p.task('first', () => 1);
});

describe('a simulation refuses', () => {
  it('what is said of a task or a job that does not exist', async () => {
    await using t = await simulate({ jobs: [one, two] });
    const wrong = { task: 'frist' };
    for (const call of [
      () => t.fake(two, () => 1, wrong),
      () => t.takes(two, '1s', wrong),
      () => t.failNext(two, new Error('x'), wrong),
    ]) {
      expect(call).toThrow('the job two has no task frist; it has first');
    }
    t.fake(two, () => 1, { task: 'first' });
    t.fake(one, () => 1, { task: 'main' });
    expect(() =>
      t.fake(
        job('three', () => 1),
        () => 1,
      ),
    ).toThrow('the simulation has no job three');
  });

  it('an unknown member of backoff by its name', async () => {
    const backoff = { type: 'fixed', delay: '1s', factr: 2 } as never;
    const wrong = job('wrong', { retry: { backoff } }, () => 1);
    await expect(simulate({ jobs: [wrong] })).rejects.toMatchObject({
      field: 'tasks[0].retry.backoff.factr',
      message: 'tasks[0].retry.backoff.factr is an unknown field',
    });
  });

  it('times that are none, with the value', async () => {
    await using t = await simulate({ jobs: [one] });
    await expect(t.advance(Number.NaN)).rejects.toThrow('invalid duration NaN;');
    await expect(simulate({ jobs: [one], at: new Date(Number.NaN) })).rejects.toThrow(
      'at must be a date, not Invalid Date',
    );
  });

  it('functions, BigInts and circles in an input, with the path', async () => {
    await using t = await simulate({ jobs: [one] });
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    await expect(t.submit(one, { on: { done: () => 1 } } as never)).rejects.toThrow(
      'input.on.done is a function, which JSON cannot represent',
    );
    await expect(t.submit(one, { n: [1n] } as never)).rejects.toThrow('input.n[0] is a BigInt');
    await expect(t.submit(one, circle)).rejects.toThrow('input.self is a reference');
  });
});
