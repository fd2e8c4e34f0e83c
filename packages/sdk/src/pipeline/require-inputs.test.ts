import { describe, expect, it } from 'vitest';
import { optional, type Pipeline, pipeline } from '../index.ts';
import { simulate } from '../testing/index.ts';

/** Runs on past what failed; `after` is given what `first` gave. */
function past(isOptional: boolean) {
  return pipeline('past', { failurePolicy: 'SKIP_FAILED' }, (p: Pipeline) => {
    const first = p.task('first', { retry: { maxAttempts: 1, onExhausted: 'fail' } }, () => 'one');
    const second = p.task('second', () => undefined);
    const inputs = { one: isOptional ? optional(first) : first, two: second };
    return p.task('after', { inputs }, (given) => ({ one: given.one ?? 'nothing' }));
  });
}

describe('an input of a task that did not succeed', () => {
  it('fails the task at the door, and is named', async () => {
    const job = past(false);
    await using t = await simulate({ jobs: [job], at: '2026-01-01T00:00:00Z' });
    t.failNext(job, new Error('validation: no'), { task: 'first' });
    const run = await t.submit(job, undefined);
    await t.advance('1m');
    const { state, tasks } = await run.view();
    expect(state).toBe('PARTIAL');
    expect(tasks.find(({ name }) => name === 'after')).toMatchObject({
      state: 'FAILED',
      error: expect.stringContaining('the input one is missing, because task first is FAILED'),
    });
  });

  it('may be done without where it was said to be optional', async () => {
    const job = past(true);
    await using t = await simulate({ jobs: [job], at: '2026-01-01T00:00:00Z' });
    t.failNext(job, new Error('validation: no'), { task: 'first' });
    const run = await t.submit(job, undefined);
    await t.advance('1m');
    expect((await run.view()).output).toEqual({ one: 'nothing' });
  });

  it('is no mistake where a task succeeded and gave nothing', async () => {
    const job = past(false);
    await using t = await simulate({ jobs: [job], at: '2026-01-01T00:00:00Z' });
    const run = await t.submit(job, undefined);
    await t.advance('1m');
    expect(await run.result()).toEqual({ one: 'one' });
  });
});
