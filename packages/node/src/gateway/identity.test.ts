import { CLOSE } from '@signalbox/protocol';
import { afterEach, describe, expect, it } from 'vitest';
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

describe('who is who', () => {
  it('h63 the first frame is hello, in time, in a version that is spoken here', async () => {
    await start({ gateway: { limits: { helloMs: 50 } } });
    const mute = await TestWorker.connect(world.gateway);
    expect((await mute.closed()).code).toBe(CLOSE.unauthenticated);
    const rude = await TestWorker.connect(world.gateway);
    rude.say({ kind: 'drain' });
    expect((await rude.closed()).code).toBe(CLOSE.protocol);
    const newer = await TestWorker.connect(world.gateway);
    newer.say(helloOf('w', { protocol: 99 }));
    expect(await newer.closed()).toEqual({
      code: CLOSE.protocol,
      reason: 'this node supports protocol version 1, not 99',
    });
  });

  it('h69 refuses a capacity beyond reason, too long lists and what is not a name', async () => {
    await start();
    const { total } = helloOf('w');
    const many = Array.from({ length: 1_001 }, (_, i) => `handler:h${i}`);
    for (const bad of [
      helloOf('w', { total: { ...total, slots: 1_000_000_000 } }),
      helloOf('w', { total: { ...total, memoryMb: 1_000_000_000 } }),
      helloOf('w', { foreignUse: { ...total, gpu: 1_000_000_000 } }),
      helloOf('w', { executors: many }),
      helloOf(''),
      helloOf('../etc'),
    ]) {
      const worker = await TestWorker.connect(world.gateway);
      worker.say(bad);
      expect((await worker.closed()).code).toBe(CLOSE.invalid);
    }
    expect(world.gateway.workers()).toEqual([]);
  });

  it('h69 a live worker is not displaced by another process of its name', async () => {
    await start();
    const first = await connect('w');
    const second = await TestWorker.connect(world.gateway);
    second.say(helloOf('w', { instance: 'other' }));
    expect(await second.closed()).toEqual({
      code: CLOSE.invalid,
      reason: 'another worker with this name is connected',
    });
    const id = await world.submit('mail');
    first.succeed((await first.got('assign')).ref);
    await world.ended(id);
    first.hangUp();
    await first.closed();
    await connect('w', { instance: 'other' });
  });

  it('the same process replaces its old link and keeps what it runs', async () => {
    await start();
    const old = await connect('w');
    const id = await world.submit('mail');
    const { ref } = await old.got('assign');
    old.say({ kind: 'accept', refs: [ref] });
    await world.loop.flushed();
    const fresh = await connect('w', { holds: [ref] });
    expect((await old.closed()).code).toBe(CLOSE.replaced);
    await world.loop.flushed();
    expect(world.gateway.worker('w')).toMatchObject({ status: 'healthy', attempts: 1 });
    fresh.succeed(ref);
    await fresh.got('confirm');
    expect((await world.view(id)).tasks[0]?.attempts).toHaveLength(1);
  });

  it('a link is bound to one worker', async () => {
    await start();
    const worker = await connect('w');
    worker.say(helloOf('x'));
    expect((await worker.closed()).code).toBe(CLOSE.invalid);
  });

  it('what crossed a restated hello on its way is not given out a second time', async () => {
    await start();
    const worker = await connect('w');
    const id = await world.submit('mail');
    const { ref } = await worker.got('assign');
    worker.say(helloOf('w', { holds: [] }));
    worker.say({ kind: 'accept', refs: [ref] });
    await world.loop.flushed();
    worker.succeed(ref);
    await worker.got('confirm');
    expect(worker.of('stale')).toEqual([]);
    expect((await world.view(id)).tasks[0]?.attempts).toHaveLength(1);
  });
});
