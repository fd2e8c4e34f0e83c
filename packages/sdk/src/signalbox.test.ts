import { taskId } from '@signalbox/protocol';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import {
  type BoxEvent,
  isolated,
  job,
  PermanentError,
  RunFailedError,
  type RunHandle,
  type Signalbox,
  SignalboxError,
  task,
} from './index.ts';
import { BothPlaces } from './test-programs/both-places.ts';

const hello = job('hello', { retry: { maxAttempts: 3 } }, async (input: { name: string }) => {
  return `hello, ${input.name}`;
});
const broken = job('broken', async () => {
  throw new PermanentError('this will never work');
});
const talk = job('talk', async (_input, ctx) => {
  for (let i = 0; i < 3; i++) ctx.log.info(`line ${i}`);
});
const begun = { resolve: (): void => {} };
const waits = job('waits', async (_input, ctx) => {
  begun.resolve();
  await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
  ctx.signal.throwIfAborted();
});
const order: string[] = [];
const graph = job('graph', {
  tasks: {
    first: task((_input: { n: number }) => void order.push('first')),
    second: task({ after: ['first'] }, (input: { n: number }) => {
      order.push('second');
      return input.n * 2;
    }),
  },
});
const echoes = job('echoes', { command: { argv: ['cat'], stdin: 'input' } });
const doubled = job(
  'doubled',
  isolated<typeof import('./test-programs/doubled.ts').doubled>(
    new URL('./test-programs/doubled.ts', import.meta.url),
    { export: 'doubled' },
  ),
);
const unworked = job('unworked', { retry: { maxAttempts: 1 } }, () => null);
const jobs = [hello, broken, talk, waits, graph, echoes, doubled];

const both = new BothPlaces();
beforeAll(() => both.start());
afterAll(() => both.stop());

describe.each(both.places)('API-16 CLU-15 U083 $name', ({ open }) => {
  let box: Signalbox;

  beforeAll(async () => {
    box = await open();
    await box.work(jobs, { executors: ['command'] });
  });

  afterAll(() => box.close());

  it('EXT-08 runs a typed job and gives its typed output', async () => {
    const run = await box.submit(hello, { name: 'world' });
    expectTypeOf(run).toEqualTypeOf<RunHandle<string>>();
    expect(await run.result()).toBe('hello, world');
    const view = await box.runs.get(run.id);
    expect(view).toMatchObject({ job: 'hello', jobVersion: 1, state: 'SUCCEEDED' });
    expect(view.tasks[0]?.attempts).toHaveLength(1);
  });

  it('throws what a run failed of', async () => {
    const run = await box.submit(broken);
    const error = await run.result().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RunFailedError);
    expect(error).toMatchObject({ task: 'main', errorClass: 'permanent', attempts: 1 });
    expect((error as RunFailedError).error).toContain('this will never work');
    expect((await run.wait()).state).toBe('FAILED');
  });

  it('throws the same errors', async () => {
    for (const ask of [
      () => box.submit('absent'),
      () => box.runs.get('01900000-0000-7000-8000-000000000001'),
      () => box.runs.get('nonsense'),
      () => box.cancel('nonsense'),
      () => box.why('nonsense:main'),
    ]) {
      const error: unknown = await ask().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SignalboxError);
      expect(error).toMatchObject({ code: 'not_found', status: 404 });
    }
    const bad = await box.submit('hello', {}, { delay: -1 }).catch((thrown: unknown) => thrown);
    expect(bad).toMatchObject({ field: 'delay' });
    const { id } = await box.submit(hello, { name: 'x' });
    await (await box.runs.handle(id)).wait();
    await expect(box.cancel(id)).rejects.toMatchObject({ code: 'not_running', status: 409 });
  });

  it('gives the run that is there to the same key', async () => {
    const first = await box.submit(hello, { name: 'a' }, { idempotencyKey: 'order-1' });
    const second = await box.submit(hello, { name: 'a' }, { idempotencyKey: 'order-1' });
    expect([first.created, second.created, second.id]).toEqual([true, false, first.id]);
    expect(await second.result()).toBe('hello, a');
  });

  it('makes one live run of many submissions with the same unique value', async () => {
    await box.apply([unworked]);
    const runs = await Promise.all(
      Array.from({ length: 50 }, () => box.submit(unworked, undefined, { uniqueKey: 'tenant-7' })),
    );
    expect(new Set(runs.map(({ id }) => id)).size).toBe(1);
    expect(runs.filter(({ created }) => created)).toHaveLength(1);
    await runs[0]?.cancel();
    await runs[0]?.wait();
    const next = await box.submit(unworked, undefined, { uniqueKey: 'tenant-7' });
    expect(next.created).toBe(true);
    await next.cancel('done with it');
  });

  it('cancels a running attempt by its signal', async () => {
    const started = new Promise<void>((resolve) => {
      begun.resolve = resolve;
    });
    const run = await box.submit(waits);
    await started;
    await run.cancel('enough');
    await expect(run.result()).rejects.toMatchObject({
      errorClass: 'cancelled',
      run: { state: 'CANCELLED' },
    });
  });

  it('tries a failed run again as a new one', async () => {
    const failed = await box.submit(broken);
    await failed.wait();
    const again = await box.retry(failed.id, 'perhaps now');
    expect(again.id).not.toBe(failed.id);
    expect((await again.wait()).trigger).toMatchObject({ kind: 'retry', of: failed.id });
  });

  it('runs a graph in order', async () => {
    order.length = 0;
    const run = await box.submit(graph, { n: 21 });
    expectTypeOf(run).toEqualTypeOf<RunHandle<number>>();
    expect(await run.result()).toBe(42);
    expect(order).toEqual(['first', 'second']);
  });

  it('runs a command, where the worker may', async () => {
    const run = await box.submit(echoes, 'some text');
    expect(await run.result()).toBe('some text');
  });

  it('runs a handler in a thread of its own', async () => {
    const run = await box.submit(doubled, { n: 21 });
    expectTypeOf(run).toEqualTypeOf<RunHandle<number>>();
    expect(await run.result()).toBe(42);
  });

  it('refuses a key with another input, and only that submission of those that travel together', async () => {
    const [first, other, free] = await Promise.allSettled([
      box.submit(hello, { name: 'a' }, { idempotencyKey: 'one-input' }),
      box.submit(hello, { name: 'b' }, { idempotencyKey: 'one-input' }),
      box.submit(hello, { name: 'c' }),
    ]);
    expect(first).toMatchObject({ status: 'fulfilled', value: { created: true } });
    expect(other).toMatchObject({
      reason: { code: 'idempotency_conflict', field: 'idempotencyKey' },
    });
    expect(free).toMatchObject({ status: 'fulfilled', value: { created: true } });
    const again = await box.submit(hello, { name: 'a' }, { idempotencyKey: 'one-input' });
    expect(again.created).toBe(false);
  });

  it('refuses a key that belongs to a run of another job', async () => {
    const first = await box.submit(hello, { name: 'a' }, { idempotencyKey: 'taken' });
    const refused = {
      name: 'SignalboxError',
      code: 'idempotency_conflict',
      status: 409,
      field: 'idempotencyKey',
    };
    const alone = box.submit(doubled, { n: 1 }, { idempotencyKey: 'taken' });
    await expect(alone).rejects.toMatchObject(refused);
    const [other, among] = await Promise.allSettled([
      box.submit(doubled, { n: 2 }),
      box.submit(doubled, { n: 1 }, { idempotencyKey: 'taken' }),
    ]);
    expect(other).toMatchObject({ status: 'fulfilled', value: { job: 'doubled', created: true } });
    expect(among).toMatchObject({ status: 'rejected', reason: refused });
    const many = box.submitMany(doubled, [
      { input: { n: 3 } },
      { input: { n: 1 }, idempotencyKey: 'taken' },
    ]);
    await expect(many).rejects.toThrow(
      `the idempotency key belongs to run ${first.id} of the job "hello"`,
    );
  });

  it('submits many and lists them, newest first, page by page', async () => {
    const items = Array.from({ length: 30 }, (_, i) => ({ input: { name: `${i}` } }));
    const runs = await box.submitMany(hello, items);
    expect(await Promise.all(runs.map((run) => run.result()))).toEqual(
      items.map(({ input }) => `hello, ${input.name}`),
    );
    const ids: string[] = [];
    for (let cursor: string | undefined; ids.length < 30; ) {
      const page = await box.runs.list({ job: 'hello', limit: 7, ...(cursor && { cursor }) });
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    }
    // Ids sort by time; within a millisecond of one batch, by number.
    expect(new Set(ids.slice(0, 30))).toEqual(new Set(runs.map(({ id }) => id)));
  });

  it('says why a task does not run', async () => {
    const run = await box.submit(unworked, undefined, { delay: 3_600_000 });
    const diagnosis = await box.why(taskId(run.id, 'main'));
    expect(diagnosis).toMatchObject({ state: 'PENDING' });
    expect(diagnosis.reason).not.toBe('');
    await run.cancel();
  });

  it('reads what a run logged, and follows it to its end', async () => {
    const run = await box.submit(talk);
    const followed: string[] = [];
    for await (const line of run.logs({ follow: true })) followed.push(messageOf(line.text));
    expect(followed).toEqual(['line 0', 'line 1', 'line 2']);
    const read: string[] = [];
    for await (const line of box.logs(run.id)) read.push(messageOf(line.text));
    expect(read).toEqual(followed);
    for await (const line of box.logs(taskId(run.id, 'main'))) read.push(messageOf(line.text));
    expect(read).toEqual([...followed, ...followed]);
  });

  it('tells of what happens to one run, to its end and in the same words', async () => {
    const run = await box.submit(graph, { n: 1 }, { delay: 1_000 });
    const seen: BoxEvent[] = [];
    for await (const event of run.events()) seen.push(event);
    const ended = seen.find(({ kind }) => kind === 'taskSucceeded');
    expect(ended).toEqual({
      kind: 'taskSucceeded',
      at: expect.stringMatching(/^2.*Z$/),
      run: run.id,
      job: 'graph',
      task: taskId(run.id, 'first'),
      attempt: 1,
      state: 'SUCCEEDED',
    });
    expect(seen.at(-1)).toMatchObject({ kind: 'runEnded', run: run.id, state: 'SUCCEEDED' });
    for await (const event of run.events()) throw new Error(`${event.kind} after the end`);
  });

  it('tells of what happens, until the reader leaves', async () => {
    const events = box.events({ job: 'hello' });
    const seen: BoxEvent[] = [];
    const reading = (async () => {
      for await (const event of events) {
        seen.push(event);
        if (event.kind === 'runEnded') break;
      }
    })();
    // Only an event tells that the stream is open: runs are made until one has come.
    while (seen.length === 0) await (await box.submit(hello, { name: 'watched' })).result();
    await reading;
    expect(seen.at(-1)).toMatchObject({ kind: 'runEnded', job: 'hello', state: 'SUCCEEDED' });
    expect(seen.every(({ job }) => job === 'hello')).toBe(true);
  });
});

function messageOf(text: string): string {
  return (JSON.parse(text) as { message: string }).message;
}

describe.each(both.places)('API-16 closing the $name box', ({ open }) => {
  it('ends streams and waits that are under way', async () => {
    const box = await open();
    await box.apply([unworked]);
    const run = await box.submit(unworked, undefined, { delay: 3_600_000 });
    const streams = [box.events(), run.events()].map(async (events) => {
      for await (const event of events) expect(event.kind).not.toBe('');
    });
    const waiting = run.wait().catch((error: unknown) => error);
    await run.view();
    await box.close();
    await Promise.all(streams);
    expect(await waiting).toBeInstanceOf(SignalboxError);
  });
});

describe('a remote box', () => {
  it('says that its key is not known', async () => {
    await using box = await both.connect(`${both.key}x`);
    await expect(box.work([hello])).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(box.work([])).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
