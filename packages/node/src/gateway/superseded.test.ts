import { NO_RESOURCES } from '@signalbox/engine';
import { afterEach, describe, expect, it } from 'vitest';
import { InputResolver, type ResolvedInput } from '../inputs/input-resolver.ts';
import { GatewayWorld, type WorldParams } from './testing/gateway-world.ts';
import { helloOf, TestWorker } from './testing/test-worker.ts';

let world: GatewayWorld;

const YEAR_MS = 31_536_000_000;
const task = { executor: 'handler:mail', timeouts: { graceMs: YEAR_MS } };

async function start(params: WorldParams = {}): Promise<TestWorker> {
  // The worker of these tests does not beat, and must not be given up for that.
  const engine = { silentMs: YEAR_MS, ...params.engine };
  world = await GatewayWorld.start({ ...params, engine });
  await world.define('mail', { tasks: [task] });
  await world.define('two', {
    tasks: [
      { ...task, name: 'first' },
      { ...task, name: 'second', after: ['first'] },
    ],
  });
  return TestWorker.connect(world.gateway, helloOf('w', { total: { ...NO_RESOURCES, slots: 1 } }));
}

afterEach(async () => {
  expect(world.fatal).toEqual([]);
  await world.stop();
});

/** Puts the input of every task with parents together when it is told to. */
class SlowResolver extends InputResolver {
  readonly asked = Promise.withResolvers<void>();
  readonly supplied = Promise.withResolvers<ResolvedInput>();

  constructor() {
    super(null);
  }

  override resolve(): Promise<ResolvedInput> {
    this.asked.resolve();
    return this.supplied.promise;
  }
}

/** The second task of a run is assigned, and what it is given is not there yet. */
async function startUnsent(resolver: SlowResolver) {
  const worker = await start({ gateway: { resolver } });
  const id = await world.submit('two');
  const { ref } = await worker.got('assign');
  worker.succeed(ref);
  await resolver.asked.promise;
  return { worker, id };
}

const nothing = { input: null, parents: null };
const encoder = new TextEncoder();

describe('a superseded attempt with a long grace', () => {
  it('that writes a line is told that it is stale, and its place is given back', async () => {
    const worker = await start({ engine: { stopSlackMs: 1 } });
    await world.submit('mail');
    const { ref } = await worker.got('assign');
    worker.say({ kind: 'accept', refs: [ref] });
    await world.loop.flushed();
    await world.gateway.evict('w');
    await worker.got('abort');
    // The link forgets with the next beat what was superseded.
    worker.say({ kind: 'beat', foreignUse: NO_RESOURCES, progress: [] });
    worker.say({ kind: 'log', ref, stream: 'log', number: 1, text: encoder.encode('stopping') });
    await worker.got('stale');
    expect((await worker.got('assign', 2)).ref).not.toEqual(ref);
  });

  it('that was never sent gives its place back', async () => {
    const resolver = new SlowResolver();
    const { worker } = await startUnsent(resolver);
    await world.gateway.evict('w');
    await worker.got('abort');
    resolver.supplied.resolve(nothing);
    await worker.got('assign', 2);
  });

  it('that was never sent ends at once where its run is cancelled', async () => {
    const resolver = new SlowResolver();
    const { worker, id } = await startUnsent(resolver);
    const { partition, seq } = id;
    await world.loop.execute({ kind: 'cancel', partition, seq, by: 'me', reason: 'no' });
    await worker.got('abort');
    resolver.supplied.reject(new Error('no blob store'));
    await world.ended(id);
    expect((await world.view(id)).state).toBe('CANCELLED');
    expect(worker.of('assign')).toHaveLength(1);
  });
});
