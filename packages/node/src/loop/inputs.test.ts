import type { Effect } from '@signalbox/engine';
import { type Store, StoreError } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { InputResolver } from '../inputs/input-resolver.ts';
import { faulty } from './testing/faulty-store.ts';
import { type VirtualNode, VirtualWorld } from './testing/virtual-world.ts';

/** Inputs as they were sent with assignments, as text. */
function inputsOf(node: VirtualNode): string[] {
  return node.assigned().map(({ attempt }) => textOf(attempt.task.run.input));
}

function textOf(input: Uint8Array | null): string {
  return input === null ? 'none' : new TextDecoder().decode(input);
}

function inputNo(i: number): Uint8Array {
  return new TextEncoder().encode(`${i} `.padEnd(1_000, '.'));
}

describe('inputs of runs that wait', () => {
  const inputBytesMax = 10_000;

  it.each([
    ['parked', () => ({})],
    ['never parked, for their unique values', (i: number) => ({ unique: `u${i}` })],
  ])(
    'take no more memory than they may, where runs are %s, and come with the assignment',
    async (_, head) => {
      const world = new VirtualWorld();
      await world.define('acme', 'mail');
      const settings = { inputBytesMax, pageSize: 10 };
      const node = await world.startNode({ settings });
      const spec = await node.spec('acme', 'mail');
      for (let i = 0; i < 300; i++) {
        void node.submit(spec, { input: inputNo(i), ...head(i) });
        if (i % 10 === 0) await world.run(20);
      }
      await world.run(1_000);
      const book = node.engine.core.books.get(0);
      expect(book?.inputBytes).toBeLessThanOrEqual(inputBytesMax + 1_000);
      // What waits without its input waits in its queue all the same.
      expect(book?.runs.size).toBe(300);
      const sent: string[] = [];
      node.finishEverything();
      const finish = node.onEffect;
      node.onEffect = (effect) => {
        if (effect.kind === 'assign') sent.push(textOf(effect.attempt.task.run.input));
        finish(effect);
      };
      node.attach('w', 7);
      await world.run(10_000);
      expect(world.disk.snapshot().ends).toHaveLength(300);
      const expected = Array.from({ length: 300 }, (__, i) => textOf(inputNo(i)));
      expect(sent.toSorted()).toEqual(expected.toSorted());
      expect(book?.inputBytes).toBe(0);
    },
  );

  it('come in pages that ask for no more bytes than are left', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    const asked: (number | undefined)[] = [];
    const node = await world.startNode({
      settings: { inputBytesMax, pageSize: 10, queueWindow: 20 },
      store: (disk) =>
        faulty(disk, (real) => ({
          readParked: (query) => {
            asked.push(query.bytes);
            return real.readParked(query);
          },
        })),
    });
    const spec = await node.spec('acme', 'mail');
    for (let i = 0; i < 100; i++) void node.submit(spec, { input: inputNo(i) });
    await world.run(1_000);
    node.finishEverything();
    node.attach('w', 5);
    await world.run(10_000);
    expect(world.disk.snapshot().ends).toHaveLength(100);
    expect(asked.length).toBeGreaterThan(0);
    for (const bytes of asked) expect(bytes).toBeLessThanOrEqual(inputBytesMax);
  });
});

describe('an input that cannot be read', () => {
  /** A second node on the same disk, whose first reads of inputs fail. */
  function takeOver(world: VirtualWorld, read: (real: Store['readRuns']) => Store['readRuns']) {
    return world.startNode({
      name: 'node-b',
      store: (disk) => faulty(disk, (real) => ({ readRuns: read(real.readRuns.bind(real)) })),
    });
  }

  /** Fails, or finds nothing, three times; only where inputs are asked for. */
  function failing(how: 'throws' | 'finds nothing') {
    let left = 3;
    return (real: Store['readRuns']): Store['readRuns'] =>
      async (query) => {
        if (!query.withInput || left-- <= 0) return real(query);
        if (how === 'finds nothing') return [];
        throw new StoreError('unavailable', 'try again');
      };
  }

  it.each(['throws', 'finds nothing'] as const)(
    'is read again before a nested run starts, where the read %s',
    async (how) => {
      const world = new VirtualWorld();
      await world.define('acme', 'outer', { tasks: [{ name: 'inner', run: { job: 'mail' } }] });
      const first = await world.startNode();
      const input = new TextEncoder().encode('{"to":"me"}');
      await first.submitted(await first.spec('acme', 'outer'), { input });
      first.loop.halt();
      const inputs: string[] = [];
      await world.run(6_000);
      const next = await takeOver(world, failing(how));
      next.onEffect = (effect: Effect) => {
        if (effect.kind !== 'startRun') return;
        const supply = new InputResolver(null).resolve(effect.task) as { input: Uint8Array | null };
        inputs.push(textOf(supply.input));
      };
      await world.run(20_000);
      expect(inputs).toEqual(['{"to":"me"}']);
      expect(next.fatal).toEqual([]);
    },
  );

  it.each(['throws', 'finds nothing'] as const)(
    'is read again before a task is sent to a worker, where the read %s',
    async (how) => {
      const world = new VirtualWorld();
      await world.define('acme', 'mail');
      const first = await world.startNode();
      await first.submitted(await first.spec('acme', 'mail'), { input: inputNo(1) });
      first.loop.halt();
      await world.run(6_000);
      const next = await takeOver(world, failing(how));
      next.attach('w');
      next.beating('w');
      await world.run(20_000);
      expect(inputsOf(next)).toEqual([textOf(inputNo(1))]);
    },
  );
});

describe('an attempt that is stopped before its input was read', () => {
  const YEAR_MS = 31_536_000_000;

  /** A run whose input is on its way from the store, assigned to the only place there is. */
  async function startUnsent(world: VirtualWorld) {
    await world.define('acme', 'mail', { tasks: [{ timeouts: { graceMs: YEAR_MS } }] });
    const first = await world.startNode();
    const spec = await first.spec('acme', 'mail');
    await first.submitted(spec, { input: inputNo(1) });
    first.loop.halt();
    await world.run(6_000);
    const read = Promise.withResolvers<void>();
    const readRuns =
      (real: Store['readRuns']): Store['readRuns'] =>
      async (query) => {
        if (query.withInput) await read.promise;
        return real(query);
      };
    const node = await world.startNode({
      name: 'node-b',
      store: (disk) => faulty(disk, (real) => ({ readRuns: readRuns(real.readRuns.bind(real)) })),
    });
    node.attach('w', 1);
    node.beating('w');
    await world.run(6_000);
    expect(node.assigned()).toEqual([]);
    expect(node.engine.core.workers.workers.get('w')?.attempts).toHaveLength(1);
    return { node, read };
  }

  it('gives its place back, whatever its grace', async () => {
    const world = new VirtualWorld();
    const { node, read } = await startUnsent(world);
    void node.loop.execute({ kind: 'evictWorker', worker: 'w' });
    await world.run(1_000);
    read.resolve();
    await world.run(1_000);
    expect(inputsOf(node)).toEqual([textOf(inputNo(1))]);
  });

  it('ends its run that was cancelled', async () => {
    const world = new VirtualWorld();
    const { node, read } = await startUnsent(world);
    void node.loop.execute({ kind: 'cancel', partition: 0, seq: 1, by: 'me', reason: 'no' });
    await world.run(1_000);
    read.resolve();
    await world.run(1_000);
    expect(world.disk.snapshot().ends).toHaveLength(1);
    expect(node.assigned()).toEqual([]);
  });
});

it('a checkpoint is due after many bytes, however few facts they are', async () => {
  const world = new VirtualWorld();
  await world.define('acme', 'mail');
  const node = await world.startNode({ loop: { checkpointBytes: 100_000 } });
  const spec = await node.spec('acme', 'mail');
  node.attach('w');
  node.beating('w');
  await node.submitted(spec);
  const [assigned] = node.assigned();
  if (assigned === undefined) throw new Error('nothing was assigned');
  const { partition, seq } = assigned.attempt.task.run;
  const { number, epoch, token } = assigned.attempt;
  const ref = { partition, seq, task: 0, number, epoch, token };
  node.loop.report({ kind: 'accept', worker: 'w', ref });
  for (let i = 0; i < 20; i++) {
    node.loop.report({ kind: 'checkpoint', worker: 'w', ref, state: new Uint8Array(10_000) });
    await world.run(100);
  }
  expect(node.saw('checkpointed')).toBe(true);
});
