import { describe, expect, expectTypeOf, it } from 'vitest';
import { RunFailedError } from '../errors.ts';
import { type Pipeline, pipeline } from '../index.ts';
import { job } from '../job.ts';
import { task } from '../task.ts';
import { simulate } from './index.ts';

const AT = '2026-01-01T00:00:00.000Z';
const hello = job('hello', { retry: { maxAttempts: 3 } }, async (input: { name: string }) => {
  return `hello, ${input.name}`;
});

describe('a simulation', () => {
  it('EXT-16 tells a task that the event has come that it waits for', async () => {
    const pay = pipeline('pay', (p: Pipeline<{ order: number }>) => {
      const paid = p.event('paid', { type: 'paid', filter: 'event.data.order == input.order' });
      return p.task('thank', { inputs: { paid } }, ({ paid }) => paid);
    });
    await using t = await simulate({ jobs: [pay], at: AT });
    const run = await t.submit(pay, { order: 7 });
    await t.advance('3h');
    expect(await run.state()).not.toBe('SUCCEEDED');
    await t.signal(run.id, 'paid', { data: { order: 7 } });
    expect(await run.result()).toEqual({ data: { order: 7 } });
  });

  it('EXT-10 runs a job on the real engine without a server', async () => {
    await using t = await simulate({ jobs: [hello], at: AT });
    const run = await t.submit(hello, { name: 'world' });
    expectTypeOf(run.result()).resolves.toEqualTypeOf<string>();
    expect(await run.result()).toBe('hello, world');
    expect(t.now.toISOString()).toBe(AT);
    expect((await t.runs()).map(({ id, state }) => ({ id, state }))).toEqual([
      { id: run.id, state: 'SUCCEEDED' },
    ]);
  });

  it('fires schedules, and tells handlers their windows', async () => {
    const seen: unknown[] = [];
    const report = job('report', { retry: { maxAttempts: 2 } }, async (input: unknown, ctx) => {
      seen.push([ctx.window, input, ctx.attempt]);
    });
    await using t = await simulate({ jobs: [report], at: AT });
    await t.schedule('nightly', report, {
      cron: '30 2 * * *',
      input: { day: '${window.at.substring(0, 10)}' },
    });
    t.failNext(report, new Error('connection reset'));
    await t.advance('26h');
    expect(seen).toEqual([
      [
        { schedule: 'nightly', at: new Date('2026-01-01T02:30:00.000Z'), kind: 'scheduled' },
        { day: '2026-01-01' },
        2,
      ],
    ]);
    await t.submit(report, null);
    expect(seen[1]).toEqual([undefined, null, 1]);
    await t.advance('1h');
    expect(seen[2]).toMatchObject([{ at: new Date('2026-01-02T02:30:00.000Z') }, {}, 1]);
    const bad = t.schedule('nightly', report, { cron: '61 * * * *' });
    await expect(bad).rejects.toThrow('61');
  });

  it('EXT-10 moves time over retries, delays and years without waiting', async () => {
    await using t = await simulate({ jobs: [hello], at: AT });
    t.failNext(hello, new Error('connection reset'), { times: 2 });
    const retried = await t.submit(hello, { name: 'again' });
    expect(await retried.state()).not.toBe('SUCCEEDED');
    await expect(retried.result()).rejects.toThrow('advance time');
    await t.advance('1m');
    expect(await retried.result()).toBe('hello, again');
    const { tasks } = await retried.view();
    expect(tasks[0]?.attempts.map(({ outcome }) => outcome)).toEqual([
      'transient',
      'transient',
      'succeeded',
    ]);

    const later = await t.submit(hello, { name: 'later' }, { delay: 86_400_000 });
    await t.advance('23h59m');
    expect(await later.state()).toBe('PENDING');
    await t.advance('1m');
    expect(await later.result()).toBe('hello, later');

    const before = performance.now();
    await t.advance('1y');
    expect(performance.now() - before).toBeLessThan(1_000);
    expect(t.now.getTime() - Date.parse(AT)).toBeGreaterThan(364 * 86_400_000);
  });

  it('EXT-10 U101 fires a year of windows in less than a second', async () => {
    const fired: string[] = [];
    const daily = job('daily', async (_input, ctx) => {
      fired.push(ctx.window?.at.toISOString() ?? '');
    });
    const yearly = job('yearly', async (_input, ctx) => {
      fired.push(`year ${ctx.window?.at.toISOString()}`);
    });
    await using t = await simulate({ jobs: [daily, yearly], at: AT });
    await t.schedule('daily', daily, { cron: '30 2 * * *' });
    await t.schedule('yearly', yearly, { cron: '0 0 1 7 *' });
    const before = process.cpuUsage();
    await t.advance('1y');
    // Processor time: other tests share the machine.
    const { user, system } = process.cpuUsage(before);
    const days = Array.from({ length: 365 }, (_, day) =>
      new Date(Date.parse(AT) + day * 86_400_000 + 9_000_000).toISOString(),
    );
    expect(fired.filter((each) => !each.startsWith('year'))).toEqual(days);
    expect(fired.filter((each) => each.startsWith('year'))).toEqual([
      'year 2026-07-01T00:00:00.000Z',
    ]);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });

  it('EXT-10 holds what is above the quota of the tenant', async () => {
    const slow = job('slow', async () => {});
    await using t = await simulate({ jobs: [slow], at: AT, maxRunning: 2 });
    t.takes(slow, '10m');
    for (let i = 0; i < 5; i++) await t.submit(slow);
    await t.submit(slow, undefined, { priority: 'P0' });
    const running = async () => (await t.runs()).filter(({ state }) => state === 'RUNNING').length;
    const ended = async () => (await t.runs()).filter(({ state }) => state === 'SUCCEEDED').length;
    // A quota never holds back P0.
    expect(await running()).toBe(3);
    await t.advance('10m');
    expect([await ended(), await running()]).toEqual([3, 2]);
    await t.advance('20m');
    expect(await ended()).toBe(6);
    const wrong = simulate({ jobs: [slow], maxRunning: -1 });
    await expect(wrong).rejects.toThrow('maxRunning');
  });

  it('EXT-10 shows how a run fails for good', async () => {
    await using t = await simulate({ jobs: [hello], at: AT });
    t.failNext(hello, new Error('no luck'), { times: 3 });
    const run = await t.submit(hello, { name: 'x' });
    await t.advance('1h');
    const error = await run.result().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RunFailedError);
    expect(error).toMatchObject({ task: 'main', error: 'no luck', attempts: 3 });
    expect(error).toMatchObject({ errorClass: 'transient', run: { state: 'FAILED' } });
  });

  it('EXT-10 takes a worker away, and the attempt is made again elsewhere', async () => {
    const started: number[] = [];
    const slow = job('slow', async (_input, ctx) => {
      started.push(ctx.attempt);
      return ctx.attempt;
    });
    await using t = await simulate({ jobs: [slow], at: AT });
    t.takes(slow, '10m');
    const run = await t.submit(slow);
    await t.advance('5m');
    expect(await run.state()).toBe('RUNNING');
    await t.loseWorker();
    await t.advance('5m');
    expect(await run.state()).toBe('RUNNING');
    await t.advance('10m');
    expect(await run.result()).toBe(2);
    expect(started).toEqual([1, 2]);
    const { tasks } = await run.view();
    expect(tasks[0]?.attempts.map(({ worker, outcome }) => [worker, outcome])).toEqual([
      ['simulated-worker-1', 'worker_lost'],
      ['simulated-worker-2', 'succeeded'],
    ]);
  });

  it('refuses more time to the attempt of a worker that is gone', async () => {
    const granted: boolean[] = [];
    const asks = job('asks', { timeout: 600_000 }, async (_input, ctx) => {
      if (ctx.attempt > 1) return;
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      ctx.progress(0.5);
      granted.push(await ctx.extend(60_000));
    });
    await using t = await simulate({ jobs: [asks], at: AT, patience: 5 });
    const run = await t.submit(asks);
    await t.loseWorker();
    await t.advance('10m');
    expect(await run.state()).toBe('SUCCEEDED');
    expect(granted).toEqual([false]);
  });

  it('EXT-10 fires timeouts, and the handler is told by its signal', async () => {
    const reasons: unknown[] = [];
    const options = { timeout: 60_000, retry: { maxAttempts: 1 } };
    const stuck = job('stuck', options, async (_input, ctx) => {
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      reasons.push(ctx.signal.reason);
      ctx.signal.throwIfAborted();
    });
    await using t = await simulate({ jobs: [stuck], at: AT, patience: 5 });
    const run = await t.submit(stuck);
    await t.advance('59s');
    expect(await run.state()).toBe('RUNNING');
    await t.advance('2s');
    expect(reasons).toEqual(['timeout']);
    expect(await run.state()).toBe('FAILED');
    await expect(run.result()).rejects.toMatchObject({ errorClass: 'timeout', attempts: 1 });
  });

  it('EXT-10 runs a graph in order, with fakes for what would leave the process', async () => {
    const order: string[] = [];
    const pipeline = job('pipeline', {
      tasks: {
        extract: task((_input: { day: string }) => void order.push('extract')),
        compress: task({ after: ['extract'], command: ['gzip'] }),
        load: task({ after: ['compress'] }, (input: { day: string }) => {
          order.push('load');
          return input.day;
        }),
      },
    });
    await using t = await simulate({ jobs: [pipeline], at: AT });
    t.fake(pipeline, () => void order.push('compress'), { task: 'compress' });
    t.failNext(pipeline, new Error('ECONNRESET'), { task: 'load' });
    const run = await t.submit(pipeline, { day: '2026-01-01' });
    expect(order).toEqual(['extract', 'compress']);
    await t.advance('10s');
    expect(order).toEqual(['extract', 'compress', 'load']);
    expect(await run.result()).toBe('2026-01-01');
  });

  it('EXT-10 says that a command needs a fake', async () => {
    const list = job('list', { command: ['ls'] });
    await using t = await simulate({ jobs: [list], at: AT });
    const run = await t.submit(list);
    await expect(run.result()).rejects.toThrow('give the simulation a fake for it');
  });

  it('EXT-10 is the same every time with the same seed, and another with another', async () => {
    const story = async (seed: number): Promise<string> => {
      await using t = await simulate({ jobs: [hello], at: AT, seed });
      t.failNext(hello, new Error('timeout'), { times: 5 });
      await t.submit(hello, { name: 'a' });
      await t.submit(hello, { name: 'b' });
      await t.advance('1h');
      return JSON.stringify(await t.runs());
    };
    const first = await story(7);
    expect(await story(7)).toBe(first);
    expect(await story(8)).not.toBe(first);
  });

  it('API-17 gives the handler its attempt, key, input hash, checkpoint and log', async () => {
    const seen: unknown[] = [];
    const careful = job('careful', async (_input: { n: number }, ctx) => {
      seen.push([ctx.attemptId, ctx.idempotencyKey, ctx.inputHash, ctx.checkpoint.load()]);
      ctx.log.info('working', { attempt: ctx.attempt });
      await ctx.checkpoint.save({ at: 5 });
      if (ctx.attempt === 1) throw new Error('temporarily unavailable');
    });
    await using t = await simulate({ jobs: [careful], at: AT });
    const run = await t.submit(careful, { n: 1 });
    await t.advance('1m');
    // printf '{"n":1}' | sha256sum
    const inputHash = '2bfd14f43d17fc7cea24e0917a8879b4b2f880b8baeec1b9d90fbaad655e71bd';
    expect(seen).toEqual([
      [`${run.id}:main:1`, `${run.id}:main`, inputHash, null],
      [`${run.id}:main:2`, `${run.id}:main`, inputHash, { at: 5 }],
    ]);
    expect(
      t
        .logs(run.id)
        .filter(({ text }) => text.startsWith('{'))
        .map(({ attempt, text }) => [attempt, JSON.parse(text).message]),
    ).toEqual([
      [1, 'working'],
      [2, 'working'],
    ]);
  });

  it('API-17 gives a handler that moves more time, and shows its progress', async () => {
    const deadlines: (string | undefined)[] = [];
    const options = { timeout: 60_000, critical: true };
    const long = job('long', options, async (_input, ctx) => {
      ctx.progress(0.25);
      deadlines.push(ctx.deadline?.toISOString());
      const granted = await ctx.extend(60_000);
      deadlines.push(ctx.deadline?.toISOString());
      return granted;
    });
    await using t = await simulate({ jobs: [long], at: AT });
    t.takes(long, '90s');
    const run = await t.submit(long);
    await t.advance('80s');
    const [main] = (await run.view()).tasks;
    expect(main).toMatchObject({ state: 'RUNNING', progress: 0.25 });
    await t.advance('10s');
    expect(await run.result()).toBe(true);
    expect(deadlines).toEqual(['2026-01-01T00:01:00.000Z', '2026-01-01T00:02:00.000Z']);
  });

  it('gives the live run to a second submission with the same unique value', async () => {
    await using t = await simulate({ jobs: [hello], at: AT });
    t.takes(hello, '1m');
    const first = await t.submit(hello, { name: 'a' }, { uniqueKey: 'customer-1' });
    const second = await t.submit(hello, { name: 'b' }, { uniqueKey: 'customer-1' });
    expect([second.id, second.created]).toEqual([first.id, false]);
    await t.advance('1m');
    const third = await t.submit(hello, { name: 'c' }, { uniqueKey: 'customer-1' });
    expect(third.created).toBe(true);
  });

  it('cancels a run, and the handler is told', async () => {
    const waiting = job('waiting', async (_input, ctx) => {
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      ctx.signal.throwIfAborted();
    });
    await using t = await simulate({ jobs: [waiting], at: AT, patience: 5 });
    const run = await t.submit(waiting);
    await run.cancel('not needed');
    await expect(run.result()).rejects.toMatchObject({ errorClass: 'cancelled' });
  });

  it('begins nested runs, gives on what they gave, and cancels them with the run that waits', async () => {
    const greet = pipeline('greet', (p: Pipeline<{ name: string }>) => {
      const asked = p.approval('ask', {});
      const said = p.run('say', hello, { after: [asked], inputs: { name: p.input.name } });
      return p.task('shout', { inputs: { said } }, ({ said: text }) => text.toUpperCase());
    });
    const outer = pipeline('outer', (p: Pipeline<{ name: string }>) => {
      p.run('greet', greet, { inputs: { name: p.input.name } });
    });
    await using t = await simulate({ jobs: [hello, greet, outer], at: AT });
    const nestedOf = async (id: string) => (await t.run(id)).tasks[0]?.nestedRun ?? '';
    const [run, cancelled] = [
      await t.submit(outer, { name: 'Ada' }),
      await t.submit(outer, { name: 'Bob' }),
    ];
    const [nested, other] = [await nestedOf(run.id), await nestedOf(cancelled.id)];
    await t.approve(nested, 'ask');
    expect(await run.result()).toBe('HELLO, ADA');
    await cancelled.cancel();
    expect((await t.run(other)).state).toBe('CANCELLED');
  });

  it('waits for handlers that do real work before time goes on', async () => {
    const { readFile } = await import('node:fs/promises');
    const options = { timeout: 1_000, retry: { maxAttempts: 1 } };
    const reads = job('reads', options, async () => {
      for (let i = 0; i < 20; i++) await readFile(import.meta.filename);
      return 'read';
    });
    await using t = await simulate({ jobs: [reads], at: AT, patience: 5_000 });
    const run = await t.submit(reads);
    await t.advance('1h');
    expect(await run.result()).toBe('read');
  });
});
