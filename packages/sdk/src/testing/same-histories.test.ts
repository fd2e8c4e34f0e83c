import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AnyJob,
  isolated,
  type Job,
  job,
  PermanentError,
  type Pipeline,
  pipeline,
  Signalbox,
  TransientError,
  task,
} from '../index.ts';
import { historyOf, resultOf } from '../test-programs/history.ts';
import { simulate } from './index.ts';

const once = { retry: { maxAttempts: 1 } } as const;
const quick = { retry: { maxAttempts: 3, backoff: { type: 'fixed', delay: 1 } } } as const;
const WORKER = { labels: { disk: 'ssd' }, zone: 'eu' } as const;

/** A task that fails, and after it one that returns the output of the run. */
function partial(name: string, handler: () => unknown): AnyJob {
  return pipeline(name, { failurePolicy: 'SKIP_FAILED' }, (p: Pipeline) => {
    const fails = p.task('fails', once, () => {
      throw new PermanentError('no');
    });
    return p.task('returns', { after: [fails] }, handler);
  }) as AnyJob;
}

/** Programs, each with what it is given; none needs time to pass that is worth mentioning. */
const PROGRAMS: Readonly<Record<string, [AnyJob, unknown]>> = {
  'a value': [job('value', (n: number) => n * 2), 21],
  nothing: [job('nothing', () => undefined), undefined],
  'an output above 256 KiB': [job('large', () => 'x'.repeat(300_000)), undefined],
  bytes: [job('bytes', () => new Uint8Array([0xff, 0, 1])), undefined],
  'bytes that are JSON': [job('json-bytes', () => Buffer.from('123')), undefined],
  'bytes in': [job('bytes-in', (_: unknown, ctx) => ctx.inputBytes?.length), new Uint8Array(7)],
  'a permanent failure': [
    job('permanent', () => {
      throw new PermanentError('never');
    }),
    undefined,
  ],
  'a failure that passes': [
    job('transient', quick, (_: undefined, ctx) => {
      if (ctx.attempt < 3) throw new TransientError('not yet');
      return ctx.attempt;
    }),
    undefined,
  ],
  'a failure for good': [
    job('gives-up', once, () => {
      throw new Error('odd');
    }),
    undefined,
  ],
  'an output that is not JSON': [job('map', () => new Map()), undefined],
  'an output with NaN in it': [job('nan', () => ({ price: Number.NaN })), undefined],
  'a handler in a file of its own': [
    job(
      'isolated',
      isolated<typeof import('../test-programs/doubled.ts').doubled>(
        new URL('../test-programs/doubled.ts', import.meta.url),
        { export: 'doubled' },
      ),
    ),
    { n: 21 },
  ],
  'a file that has no such handler': [
    job(
      'no-export',
      isolated<() => number>(new URL('../test-programs/doubled.ts', import.meta.url)),
    ),
    undefined,
  ],
  'labels and zone': [
    job('placed', { workerLabels: { disk: 'ssd' }, zone: 'eu' }, () => 1),
    undefined,
  ],
  'a graph in which a task fails': [
    job('graph', {
      tasks: {
        first: task(() => 1),
        second: task({ after: ['first'], ...once }, () => {
          throw new PermanentError('no');
        }),
        third: task({ after: ['second'] }, () => 3),
      },
    }),
    undefined,
  ],
  'a PARTIAL run that returns bytes': [
    partial('partial-bytes', () => new Uint8Array([0xff, 0, 1])),
    undefined,
  ],
  'a PARTIAL run that returns JSON': [partial('partial-json', () => ({ n: 1 })), undefined],
  'a PARTIAL run that returns nothing': [partial('partial-nothing', () => undefined), undefined],
  'a fan-out over a large output': [
    pipeline('fan', (p: Pipeline) => {
      const list = p.task('list', () => [1, 2, 3].map((n) => ({ n, pad: 'x'.repeat(100_000) })));
      const each = p.fanOut('each', { from: list.output }, ({ item }) => item.n * 2);
      return p.task('sum', { inputs: { each } }, ({ each }) => each.results.length);
    }) as AnyJob,
    undefined,
  ],
};

const jobs = Object.values(PROGRAMS).map(([each]) => each);
let box: Signalbox;
beforeAll(async () => {
  box = await Signalbox.open('memory:');
  await box.work(jobs, WORKER);
});
afterAll(() => box.close());

describe('U100 the same history in a simulation as on a node', () => {
  it.each(Object.entries(PROGRAMS))('of %s', async (_, [program, input]) => {
    const real = await box.submit(program.name, input);
    const view = await real.wait();
    const expected = historyOf(view, await resultOf(() => real.result()));
    await using t = await simulate({ jobs, ...WORKER });
    const run = await t.submit(program as Job<unknown, unknown>, input);
    await t.advance('1m');
    const actual = historyOf(await run.view(), await resultOf(() => run.result()));
    expect(actual).toEqual(expected);
  });
});

it('a run that failed is retried as on a node', async () => {
  let isBroken = true;
  const mends = job('mends', once, () => {
    if (isBroken) throw new PermanentError('broken');
    return 'mended';
  });
  await using t = await simulate({ jobs: [mends] });
  const failed = await t.submit(mends);
  expect(await failed.state()).toBe('FAILED');
  isBroken = false;
  const again = await t.retry(failed.id, 'a new version');
  expect(again.id).not.toBe(failed.id);
  expect(await again.result()).toBe('mended');
  const wrong = { name: 'SignalboxError', code: 'not_found' };
  await expect(t.retry('nonsense')).rejects.toMatchObject(wrong);
});

it('a read beside an advance does not move time back', async () => {
  const tick = job('tick', () => 1);
  await using t = await simulate({ jobs: [tick], at: '2026-01-01T00:00:00Z' });
  const delays = Array.from({ length: 20 }, (_, i) => (i + 1) * 60_000);
  for (const delay of delays) await t.submit(tick, undefined, { delay });
  let isOver = false;
  const advancing = t.advance('1h').finally(() => {
    isOver = true;
  });
  const instants: number[] = [];
  while (!isOver) {
    await t.runs();
    instants.push(t.now.getTime());
  }
  await advancing;
  instants.push(t.now.getTime());
  expect(instants).toEqual(instants.toSorted((a, b) => a - b));
  expect(t.now.toISOString()).toBe('2026-01-01T01:00:00.000Z');
  expect((await t.runs()).map(({ state }) => state)).toEqual(delays.map(() => 'SUCCEEDED'));
});
