import { hash } from 'node:crypto';
import { formatRunId, type RunId } from '@signalbox/engine';
import { encodeBlobRef, type FromWorker, PAYLOAD_INLINE_MAX } from '@signalbox/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { GatewayWorld, type WorldParams } from './testing/gateway-world.ts';
import { helloOf, TestWorker } from './testing/test-worker.ts';

let world: GatewayWorld;

async function start(params: WorldParams = {}): Promise<void> {
  world = await GatewayWorld.start(params);
  await world.define('mail', {
    tasks: [{ executor: 'handler:mail', retry: { fixedDelayMs: 0 } }],
  });
}

afterEach(async () => {
  expect(world.fatal).toEqual([]);
  await world.stop();
});

const connect = (name: string, more: Parameters<typeof helloOf>[1] = {}) =>
  TestWorker.connect(world.gateway, helloOf(name, more));
const bytes = (text: string) => new TextEncoder().encode(text);
const stateOf = async (id: RunId) => (await world.view(id)).state;

describe('what a worker says once, where the node has no room for it', () => {
  it.each([
    ['an acceptance', 'RUNNING'],
    ['a refusal', 'QUEUED'],
  ])('%s is not lost: it counts with the next message', async (what, state) => {
    await start();
    const worker = await connect('w');
    const id = await world.submit('mail');
    const { ref } = await worker.got('assign');
    const { foreignUse } = helloOf('w');
    const report = vi.spyOn(world.loop, 'report').mockReturnValueOnce(false);
    if (what === 'a refusal') worker.say({ kind: 'refuse', ref, foreignUse: null });
    else worker.say({ kind: 'accept', refs: [ref] });
    await vi.waitFor(() => expect(report).toHaveBeenCalledTimes(1));
    await world.loop.flushed();
    expect((await world.view(id)).tasks[0]?.state).toBe('ASSIGNED');
    worker.say({ kind: 'beat', foreignUse, progress: [] });
    await vi.waitFor(() => expect(report).toHaveBeenCalledTimes(2));
    await world.loop.flushed();
    expect((await world.view(id)).tasks[0]?.state).toBe(state);
  });
});

describe('the life of an attempt on a link', () => {
  it('goes from submission to a result that is confirmed once it is durable', async () => {
    await start();
    const worker = await connect('w');
    expect(worker.frames[0]).toEqual({
      kind: 'welcome',
      protocol: 1,
      node: 'node-a',
      heartbeatMs: 5_000,
      packs: true,
    });
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const id = await world.submit('mail', { head: { trace }, input: bytes('hello') });
    const assign = await worker.got('assign');
    const run = formatRunId(id);
    expect(assign).toMatchObject({ run, timeoutMs: null, trace, checkpoint: null });
    expect(assign.about).toMatchObject({
      tenant: 'acme',
      job: 'mail',
      jobVersion: 1,
      task: 'main',
      executor: 'handler:mail',
      work: null,
      class: 'P1',
      graceMs: 30_000,
    });
    expect(assign.input).toEqual(bytes('hello'));
    worker.say({ kind: 'accept', refs: [assign.ref] });
    worker.succeed(assign.ref, bytes('done'));
    expect(await worker.got('confirm')).toEqual({ kind: 'confirm', refs: [assign.ref] });
    expect(await world.view(id)).toMatchObject({ state: 'SUCCEEDED', output: bytes('done') });
  });

  it('is told of its own job, where jobs say nothing of their tasks and share what that means', async () => {
    await start();
    await world.define('pack', {});
    await world.define('ship', {});
    const worker = await connect('w', { executors: ['handler:pack', 'handler:ship'] });
    for (const [i, job] of ['pack', 'ship', 'pack'].entries()) {
      await world.submit(job);
      const { about, ref } = await worker.got('assign', i + 1);
      expect(about).toMatchObject({ job, executor: `handler:${job}` });
      worker.succeed(ref, bytes('done'));
      await worker.confirmed(i + 1);
    }
  });

  it('sends everything of one commit to a worker as one batch', async () => {
    await start();
    const worker = await connect('w');
    const sizes: number[] = [];
    const { gateway } = world;
    const seen = gateway.receive.bind(gateway);
    gateway.receive = (effects) => {
      sizes.push(effects.filter((e) => e.kind === 'assign').length);
      seen(effects);
    };
    await Promise.all([1, 2, 3, 4, 5].map(() => world.submit('mail')));
    await worker.got('assign', 5);
    expect(Math.max(...sizes)).toBe(5);
  });

  it('hands a command with its definition, its timeout and the reference to its payload', async () => {
    await start();
    const command = { argv: ['/bin/echo', 'hello'] };
    const task = { executor: 'command', command, timeouts: { hardMs: 60_000 } };
    await world.define('shell', { tasks: [task] });
    const worker = await connect('w');
    const sha256 = hash('sha256', 'large', 'hex');
    const input = encodeBlobRef({ name: 'b1', bytes: 5, sha256 });
    await world.submit('shell', { input });
    const assign = await worker.got('assign');
    expect(assign).toMatchObject({ timeoutMs: 60_000, input });
    expect(assign.about).toMatchObject({ executor: 'command', work: { command } });
  });

  it('ends what cannot be sent with a reason instead of trying it for ever', async () => {
    await start();
    const command = { argv: Array.from({ length: 40 }, () => 'x'.repeat(32_768)) };
    await world.define('shell', {
      tasks: [{ executor: 'command', command, retry: { onExhausted: 'fail' } } as object],
    });
    const worker = await connect('w');
    const id = await world.submit('shell');
    await world.ended(id);
    const view = await world.view(id);
    expect(view.state).toBe('FAILED');
    expect(view.tasks[0]?.error).toContain('does not fit in a message');
    expect(worker.of('assign')).toEqual([]);
  });

  it('U096 ends an attempt whose output is too large for the link, or its worker would send it without end', async () => {
    await start();
    const worker = await connect('w');
    const id = await world.submit('mail');
    const { ref } = await worker.got('assign');
    worker.succeed(ref, new Uint8Array(PAYLOAD_INLINE_MAX + 1));
    await worker.got('confirm');
    expect((await world.view(id)).tasks[0]?.error).toContain('blob store');
  });

  it('passes checkpoint, extension and abort on', async () => {
    await start();
    await world.define('long', {
      tasks: [{ executor: 'handler:mail', timeouts: { hardMs: 60_000 } }],
    });
    const worker = await connect('w');
    const id = await world.submit('long');
    const { ref } = await worker.got('assign');
    const foreignUse = helloOf('w').foreignUse;
    worker.say({ kind: 'accept', refs: [ref] }, { kind: 'checkpoint', ref, state: bytes('half') });
    worker.say({ kind: 'beat', foreignUse, progress: [{ ref, value: 0.5 }] });
    worker.say({ kind: 'extend', ref, byMs: 60_000 });
    const extended = await worker.got('extended');
    expect(extended.granted).toBe(true);
    expect(extended.timeoutMs).toBeGreaterThan(110_000);
    expect(extended.timeoutMs).toBeLessThanOrEqual(120_000);
    await world.gateway.evict('w');
    expect(await worker.got('abort')).toMatchObject({ ref, why: 'evicted', graceMs: 30_000 });
    const again = await worker.got('assign', 2);
    expect(again.checkpoint).toEqual(bytes('half'));
    worker.succeed(again.ref);
    await world.ended(id);
  });

  it('a refused attempt goes to another worker', async () => {
    await start({ engine: { restMs: 50 } });
    const full = await connect('full');
    const id = await world.submit('mail');
    const { ref } = await full.got('assign');
    const other = await connect('other');
    full.say({ kind: 'refuse', ref, foreignUse: null });
    other.succeed((await other.got('assign')).ref);
    await world.ended(id);
    expect(await stateOf(id)).toBe('SUCCEEDED');
  });

  it.each([
    ['extend', { kind: 'extend', byMs: Number.POSITIVE_INFINITY }, 'extend.byMs'],
    ['extend by years', { kind: 'extend', byMs: 1e12 }, 'extend.byMs'],
    [
      'finish',
      {
        kind: 'finish',
        result: { kind: 'failed', error: 'e', retryAfterMs: Number.NaN },
        output: null,
      },
      'finish.result.retryAfterMs',
    ],
    ['checkpoint', { kind: 'checkpoint', state: 'text' }, 'checkpoint.state'],
  ])(
    'of which %s cannot be read fails with the field; the link goes on',
    async (_, frame, field) => {
      await start();
      const worker = await connect('w');
      const broken = await world.submit('mail');
      const other = await world.submit('mail');
      await worker.when(() => worker.of('assign').length === 2);
      const [first, second] = worker.of('assign');
      worker.say({ kind: 'accept', refs: [first!.ref, second!.ref] });
      worker.say({ ...frame, ref: first!.ref } as unknown as FromWorker);
      await world.ended(broken);
      expect(await worker.got('stale')).toEqual({ kind: 'stale', ref: first!.ref });
      worker.succeed(second!.ref);
      await world.ended(other);
      const [task] = (await world.view(broken)).tasks;
      expect(task).toMatchObject({
        state: 'FAILED',
        error: `the worker sent an invalid ${field}`,
      });
      expect(await stateOf(other)).toBe('SUCCEEDED');
      expect(worker.close).toBeNull();
    },
  );

  it('that no worker could be sent fails with the field', async () => {
    world = await GatewayWorld.start();
    const timeouts = { graceMs: 1e12 };
    await world.define('mail', { tasks: [{ executor: 'handler:mail', timeouts }] });
    const worker = await connect('w');
    const id = await world.submit('mail');
    await world.ended(id);
    expect((await world.view(id)).tasks[0]).toMatchObject({
      state: 'FAILED',
      error: 'about.graceMs exceeds what can be sent to a worker',
    });
    expect(worker.of('assign')).toEqual([]);
  });
});
