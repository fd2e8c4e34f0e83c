import type { RunId } from '@signalbox/engine';
import type { Ref } from '@signalbox/protocol';
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
const bytes = (text: string) => new TextEncoder().encode(text);
const stateOf = async (id: RunId) => (await world.view(id)).state;

describe('a repeated, late or foreign word', () => {
  it('h67 F19 a completion twice gets the same answer, in one commit and after it', async () => {
    await start();
    const worker = await connect('w');
    const id = await world.submit('mail');
    const { ref } = await worker.got('assign');
    worker.succeed(ref);
    worker.succeed(ref);
    await worker.confirmed(2);
    worker.succeed(ref);
    await worker.confirmed(3);
    worker.hangUp();
    const back = await connect('w');
    back.succeed(ref);
    await back.got('confirm');
    expect([...worker.of('stale'), ...back.of('stale')]).toEqual([]);
    expect((await world.view(id)).tasks[0]?.attempts).toHaveLength(1);
  });

  it('h67 a result that was taken while its worker was away is confirmed when it is said again', async () => {
    await start();
    const worker = await connect('w');
    const id = await world.submit('mail');
    const { ref } = await worker.got('assign');
    worker.succeed(ref);
    worker.hangUp();
    await world.ended(id);
    const back = await connect('w', { holds: [ref] });
    back.succeed(ref);
    await back.confirmed(2);
    expect(back.of('stale')).toEqual([]);
  });

  it('h67 DUR-10 an old epoch or a superseded attempt is stale, and changes nothing', async () => {
    await start();
    const worker = await connect('w');
    const id = await world.submit('mail');
    const { ref } = await worker.got('assign');
    const old = ref.with(4, ref[4] - 1) as unknown as Ref;
    worker.succeed(old, bytes('wrong'));
    expect(await worker.got('stale')).toEqual({ kind: 'stale', ref: old });
    await world.gateway.evict('w');
    const again = await worker.got('assign', 2);
    worker.succeed(ref, bytes('wrong'));
    expect(await worker.got('stale', 2)).toEqual({ kind: 'stale', ref });
    worker.succeed(again.ref, bytes('right'));
    await world.ended(id);
    expect(await world.view(id)).toMatchObject({ state: 'SUCCEEDED', output: bytes('right') });
  });

  it('h67 a completion after the cancel does not make a second end', async () => {
    await start();
    const worker = await connect('w');
    const id = await world.submit('mail');
    const { ref } = await worker.got('assign');
    worker.say({ kind: 'accept', refs: [ref] });
    await world.loop.flushed();
    const { partition, seq } = id;
    await world.loop.execute({ kind: 'cancel', partition, seq, by: 'me', reason: 'no' });
    expect(await worker.got('abort')).toMatchObject({ ref, why: 'cancelled' });
    worker.say({ kind: 'finish', ref, result: { kind: 'stopped' }, output: null });
    await worker.got('confirm');
    worker.succeed(ref);
    await worker.confirmed(2);
    expect(await stateOf(id)).toBe('CANCELLED');
  });

  it("SEC-06 a worker cannot finish, checkpoint, extend or write to another's attempt", async () => {
    await start();
    const owner = await connect('owner');
    const id = await world.submit('mail');
    const { ref } = await owner.got('assign');
    const thief = await connect('thief');
    thief.succeed(ref, bytes('stolen'));
    thief.say({ kind: 'log', ref, stream: 'log', number: 1, text: bytes('not mine') });
    thief.say({ kind: 'checkpoint', ref, state: bytes('bad') });
    thief.say({ kind: 'extend', ref, byMs: 1 });
    thief.say({ kind: 'refuse', ref, foreignUse: null });
    await thief.got('stale', 4);
    expect(world.lines).toEqual([]);
    expect(thief.of('confirm')).toEqual([]);
    owner.succeed(ref, bytes('mine'));
    await owner.got('confirm');
    const view = await world.view(id);
    expect(view).toMatchObject({ state: 'SUCCEEDED', output: bytes('mine') });
    expect(view.tasks[0]?.attempts).toHaveLength(1);
  });

  it('SEC-06 claiming an attempt of another in the hello gives nothing', async () => {
    await start();
    const owner = await connect('owner');
    await world.submit('mail');
    const { ref } = await owner.got('assign');
    const thief = await connect('thief', { holds: [ref] });
    expect(await thief.got('stale')).toEqual({ kind: 'stale', ref });
    thief.say({ kind: 'log', ref, stream: 'log', number: 1, text: bytes('not mine') });
    await thief.got('stale', 2);
    expect(world.lines).toEqual([]);
  });

  it('takes log lines of held attempts only', async () => {
    await start();
    const worker = await connect('w');
    const id = await world.submit('mail');
    const { ref } = await worker.got('assign');
    worker.say({ kind: 'log', ref, stream: 'stderr', number: 7, text: bytes('wörd') });
    worker.succeed(ref);
    await worker.got('confirm');
    expect(world.lines).toEqual([
      {
        tenant: 'acme',
        run: id,
        task: 0,
        attempt: 1,
        number: 7,
        stream: 'stderr',
        text: 'wörd',
      },
    ]);
    const never = ref.with(1, 999) as unknown as Ref;
    worker.say({ kind: 'log', ref: never, stream: 'log', number: 1, text: bytes('x') });
    expect(await worker.got('stale')).toEqual({ kind: 'stale', ref: never });
    expect(world.lines).toHaveLength(1);
  });
});
