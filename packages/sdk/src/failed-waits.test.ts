import { describe, expect, it } from 'vitest';
import { job, type Pipeline, pipeline, Signalbox } from './index.ts';
import { simulate } from './testing/index.ts';

const refuses = job('refuses', { retry: { maxAttempts: 1, onExhausted: 'fail' } }, () => {
  throw new Error('no');
});

const JOBS = {
  rejected: pipeline('rejected', (p) => p.approval('gate')),
  undecided: pipeline('undecided', (p) => p.approval('gate', { timeout: 1_000 })),
  silent: pipeline('silent', (p) => p.event('paid', { type: 'paid', timeout: 1_000 })),
  nested: pipeline('nested', (p) => p.run('inner', refuses)),
  condition: pipeline('condition', (p: Pipeline<undefined>) =>
    p.task('never', { when: 'input.missing > 3' }, () => 1),
  ),
};

describe('errorClass of a run that failed without an attempt', () => {
  it.each([
    ['rejected', 'rejected'],
    ['undecided', 'timeout'],
    ['silent', 'timeout'],
    ['nested', 'nested_failed'],
    ['condition', 'invalid_condition'],
  ] as const)('%s: %s', async (name, errorClass) => {
    const tested = JOBS[name];
    await using t = await simulate({ jobs: [tested, refuses] });
    const run = await t.submit(tested);
    await t.advance('1s');
    if (name === 'rejected') await t.approve(run.id, 'gate', { decision: 'reject' });
    await t.advance('1m');
    await expect(run.result()).rejects.toMatchObject({ errorClass, attempts: 0 });
    const [task] = (await run.view()).tasks;
    expect(task).toMatchObject({ reason: errorClass });
  });

  it('is told beside the classes of attempts, also by a run that has just ended', async () => {
    await using box = await Signalbox.open('memory:');
    const both = pipeline('both', { failurePolicy: 'CONTINUE' }, (p) => {
      p.approval('gate', { timeout: 1, default: 'reject' });
      p.task('beside', { retry: { maxAttempts: 1, onExhausted: 'fail' } }, () => {
        throw new Error('no');
      });
      p.task('fine', () => 1);
    });
    await box.work([both]);
    const run = await box.submit(both);
    const { tasks } = await run.wait();
    expect(tasks.map(({ reason }) => reason)).toEqual(['rejected', 'transient', undefined]);
  });
});

describe('run.result() of a PARTIAL run', () => {
  const load = (name: string, when: string) =>
    pipeline(name, { failurePolicy: 'SKIP_FAILED' }, (p) => {
      const broken = p.task('broken', { retry: { maxAttempts: 1, onExhausted: 'fail' } }, () => {
        throw new Error('no luck');
      });
      const fine = p.task('fine', () => 1);
      return p.task('load', { after: [broken, fine], when }, () => ({ rows: 3 }));
    });
  const whole = load('whole', 'true');
  const empty = load('empty', 'false');

  it('gives its output, as simulated so embedded', async () => {
    await using t = await simulate({ jobs: [whole] });
    const simulated = await t.submit(whole);
    await t.advance('1m');
    expect(await simulated.state()).toBe('PARTIAL');
    expect(await simulated.result()).toEqual({ rows: 3 });

    await using box = await Signalbox.open('memory:');
    await box.work([whole]);
    const run = await box.submit(whole);
    expect(await run.result()).toEqual({ rows: 3 });
    expect(new TextDecoder().decode(await run.bytes())).toBe('{"rows":3}');
  });

  it('says where to look where it has none', async () => {
    const told = {
      name: 'RunFailedError',
      task: 'broken',
      message: expect.stringMatching(
        /^run \S+ of empty ended as PARTIAL without an output \(run\.wait\(\) returns the state of each task\); failed in task broken: no luck$/,
      ),
    };
    await using t = await simulate({ jobs: [empty] });
    const simulated = await t.submit(empty);
    await t.advance('1m');
    await expect(simulated.result()).rejects.toMatchObject(told);

    await using box = await Signalbox.open('memory:');
    await box.work([empty]);
    await expect((await box.submit(empty)).result()).rejects.toMatchObject(told);
  });
});
