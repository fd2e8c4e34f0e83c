import { CLOSE } from '@signalbox/protocol';
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

describe('coming and going', () => {
  it('WRK-02 a worker is seen at once, and gone after a clean exit', async () => {
    await start();
    const worker = await connect('w');
    await world.loop.flushed();
    expect(world.gateway.workers()).toMatchObject([
      { name: 'w', status: 'healthy', zone: 'a', attempts: 0, free: { slots: 10 } },
    ]);
    worker.say({ kind: 'bye' });
    expect((await worker.closed()).code).toBe(1000);
    expect(world.gateway.workers()).toEqual([]);
    expect(world.gateway.worker('w')).toBeNull();
    expect(await world.gateway.drain('w')).toBe(false);
  });

  it('LIV-02 what a lost worker held runs elsewhere', async () => {
    await start({ engine: { reattachMs: 30 } });
    const lost = await connect('lost');
    const id = await world.submit('mail');
    lost.say({ kind: 'accept', refs: [(await lost.got('assign')).ref] });
    await world.loop.flushed();
    const other = await connect('other');
    lost.hangUp();
    other.succeed((await other.got('assign')).ref);
    await world.ended(id);
    const view = await world.view(id);
    expect(view.state).toBe('SUCCEEDED');
    expect(view.tasks[0]?.attempts.map((a) => a.worker)).toEqual(['lost', 'other']);
  });

  it('a worker that the engine gave up is asked to introduce itself anew', async () => {
    await start({ engine: { silentMs: 150 }, gateway: { heartbeatMs: 100 } });
    const worker = await connect('w');
    await world.loop.flushed();
    expect(world.gateway.workers()).toHaveLength(1);
    await vi.waitFor(() => expect(world.gateway.workers()).toEqual([]), 20_000);
    worker.say({ kind: 'beat', foreignUse: helloOf('w').foreignUse, progress: [] });
    await worker.got('restate');
    worker.say(helloOf('w'));
    const id = await world.submit('mail');
    worker.succeed((await worker.got('assign')).ref);
    await world.ended(id);
  });

  it('WRK-07 a new process gets work also where a busy node drops what follows its hello', async () => {
    await start({ loop: { mailboxMax: 1 } });
    const leaving = await connect('w');
    await world.loop.flushed();
    leaving.say({ kind: 'drain' });
    await world.loop.flushed();
    expect(world.gateway.worker('w')?.status).toBe('draining');
    leaving.say({ kind: 'bye' });
    await leaving.closed();
    await world.loop.flushed();
    const fresh = await connect('w', { instance: 'w-2' });
    await world.loop.flushed();
    const id = await world.submit('mail');
    expect(world.gateway.worker('w')?.status).toBe('healthy');
    fresh.succeed((await fresh.got('assign')).ref);
    await world.ended(id);
  });

  it('WRK-07 a new process gets work also where a busy node drops its hello', async () => {
    await start({ gateway: { heartbeatMs: 100 }, engine: { reattachMs: 60_000 } });
    const leaving = await connect('w');
    await world.loop.flushed();
    leaving.say({ kind: 'drain' });
    await world.loop.flushed();
    leaving.say({ kind: 'bye' });
    await leaving.closed();
    await world.loop.flushed();
    const report = vi.spyOn(world.loop, 'report');
    report.mockReturnValueOnce(false).mockReturnValueOnce(false);
    const fresh = await connect('w', { instance: 'w-2' });
    expect(report.mock.results[0]).toEqual({ type: 'return', value: false });
    await world.loop.flushed();
    expect(world.loop.engine.core.workers.workers.get('w')?.info.instance).toBe('w-1');
    const beat = { kind: 'beat', foreignUse: helloOf('w').foreignUse, progress: [] } as const;
    await vi.waitFor(() => {
      fresh.say(beat);
      expect(fresh.of('restate').length).toBeGreaterThan(0);
    });
    await world.loop.flushed();
    fresh.say(helloOf('w', { instance: 'w-2' }));
    await world.loop.flushed();
    expect(world.gateway.worker('w')?.status).toBe('healthy');
  });

  it('a beat right behind the hello does not make the two talk in circles', async () => {
    await start();
    const worker = await TestWorker.connect(world.gateway);
    worker.say(helloOf('w'), { kind: 'beat', foreignUse: helloOf('w').foreignUse, progress: [] });
    const id = await world.submit('mail');
    worker.succeed((await worker.got('assign')).ref);
    await world.ended(id);
    expect(worker.of('restate')).toEqual([]);
  });

  it('a link that has gone silent is closed, so that its name is free', async () => {
    await start({ gateway: { heartbeatMs: 20 } });
    const worker = await connect('w');
    expect(await worker.closed()).toEqual({
      code: CLOSE.goingAway,
      reason: 'the worker sent nothing for too long',
    });
  });

  it('WRK-07 an ordered drain is told, stops what runs, and outlives the process', async () => {
    await start();
    const worker = await connect('w');
    const id = await world.submit('mail');
    const { ref } = await worker.got('assign');
    worker.say({ kind: 'accept', refs: [ref] });
    await world.loop.flushed();
    expect(await world.gateway.drain('nobody')).toBe(false);
    expect(await world.gateway.drain('w')).toBe(true);
    await worker.got('drain');
    expect(await worker.got('abort')).toMatchObject({ ref, why: 'drained' });
    worker.succeed(ref);
    await worker.got('drained');
    await world.ended(id);
    worker.hangUp();
    await worker.closed();
    await connect('w', { instance: 'w-2' });
    await world.loop.flushed();
    expect(world.gateway.worker('w')?.status).toBe('draining');
    expect(await world.gateway.uncordon('w')).toBe(true);
    expect(world.gateway.worker('w')?.status).toBe('healthy');
    expect(await world.gateway.cordon('w')).toBe(true);
    expect(world.gateway.worker('w')?.status).toBe('cordoned');
  });

  it('WRK-07 an idle worker is told of each drain, whoever ordered it', async () => {
    await start();
    const worker = await connect('w');
    await world.loop.execute({ kind: 'drainWorker', worker: 'w' });
    await worker.got('drained');
    expect(worker.of('drain')).toHaveLength(1);
    await world.gateway.uncordon('w');
    const id = await world.submit('mail');
    worker.succeed((await worker.got('assign')).ref);
    await world.ended(id);
    await world.gateway.drain('w');
    await worker.got('drained', 2);
    expect(worker.of('drain')).toHaveLength(2);
  });

  it('WRK-07 a drain that the worker asked for ends with its process', async () => {
    await start();
    const worker = await connect('w');
    worker.say({ kind: 'drain' });
    await worker.got('drained');
    expect(worker.of('drain')).toEqual([]);
    worker.say({ kind: 'bye' });
    await worker.closed();
    const next = await connect('w', { instance: 'w-2' });
    const id = await world.submit('mail');
    next.succeed((await next.got('assign')).ref);
    await world.ended(id);
  });

  it('a stopping node closes its links with 1001', async () => {
    await start();
    const worker = await connect('w');
    await world.gateway.stop();
    expect((await worker.closed()).code).toBe(CLOSE.goingAway);
    const late = await TestWorker.connect(world.gateway);
    expect((await late.closed()).code).toBe(CLOSE.goingAway);
  });
});

it('one link that cannot be told does not keep the others from hearing', async () => {
  await start();
  const session = world.gateway.open({
    send: (frames) => {
      if (frames[0]?.kind !== 'welcome') throw new Error('broken');
    },
    close: () => {},
    bufferedBytes: 0,
  });
  session.receive([helloOf('broken', { total: { ...helloOf('x').total, slots: 1 } })]);
  const worker = await connect('w', { total: { ...helloOf('x').total, slots: 1 } });
  await world.submit('mail');
  await world.submit('mail');
  await worker.got('assign');
  expect(world.fatal).toEqual([]);
});
