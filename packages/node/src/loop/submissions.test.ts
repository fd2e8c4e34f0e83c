import { entryKey } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import { executeOnRun, readRun } from './index.ts';
import { faulty } from './testing/faulty-store.ts';
import { type VirtualNode, VirtualWorld } from './testing/virtual-world.ts';

async function start(params: Parameters<VirtualWorld['startNode']>[0] = {}) {
  const world = new VirtualWorld();
  await world.define('acme', 'mail');
  await world.define('acme', 'bill');
  const node = await world.startNode(params);
  return { world, node, spec: await node.spec('acme', 'mail') };
}

describe('idempotency keys', () => {
  it('DUR-06 a thousand submissions with one key at once make one run', async () => {
    const { world, node, spec } = await start();
    const sent = Promise.all(
      Array.from({ length: 1_000 }, () => node.submit(spec, { key: 'order-1' })),
    );
    await world.run(50);
    const answers = await sent;
    expect(answers.filter((a) => a.kind === 'accepted')).toHaveLength(1);
    expect(answers.filter((a) => a.kind === 'duplicate')).toHaveLength(999);
    expect(new Set(answers.map((a) => ('seq' in a ? a.seq : null))).size).toBe(1);
    expect(world.disk.snapshot().runs).toHaveLength(1);
  });

  it('DUR-06 I2 a key that only the store remembers is refused there, and the submission never was', async () => {
    const { world, node, spec } = await start({ settings: { keysKept: 1 } });
    node.attach('w');
    const first = await node.submitted(spec, { key: 'order-1' });
    await node.submitted(spec, { key: 'order-2' });
    const again = node.submit(spec, { key: 'order-1' });
    const beside = node.submit(spec);
    await world.run(50);
    expect(node.saw('keyTaken')).toBe(true);
    expect(await again).toEqual({ ...first, kind: 'duplicate' });
    expect((await beside).kind).toBe('accepted');
    expect(world.disk.snapshot().runs).toHaveLength(3);
    // Nobody ran the withdrawn one, and its slot is free again.
    expect(node.assigned()).toHaveLength(3);
    expect(node.engine.core.workers.workers.get('w')?.free.slots).toBe(7);
    expect(node.engine.core.books.get(0)?.runs.size).toBe(3);
    expect(node.fatal).toEqual([]);
  });

  it('DUR-06 holds over jobs, partitions and nodes', async () => {
    const { world, node, spec } = await start({ loop: { partitions: 8 } });
    const other = await node.spec('acme', 'bill');
    const first = await node.submitted(spec, { key: 'same' });
    node.loop.halt();
    const next = await world.startNode({ name: 'node-b', loop: { partitions: 8 } });
    await world.run(10_000);
    const second = await next.submitted(other, { key: 'same' });
    expect(second).toEqual({ ...first, kind: 'duplicate' });
  });

  it('DUR-07 a unique value makes one live run, and is free again after its end', async () => {
    const { world, node, spec } = await start();
    const first = await node.submitted(spec, { unique: 'nightly' });
    const second = await node.submitted(spec, { unique: 'nightly' });
    expect(second).toEqual({ ...first, kind: 'duplicate' });
    node.finishEverything();
    node.attach('w');
    await world.run(100);
    expect((await node.submitted(spec, { unique: 'nightly' })).kind).toBe('accepted');
  });
});

describe('the inbox', () => {
  it('is taken in a fenced commit, once, and its alias leads to the run', async () => {
    const { world, node } = await start();
    const entry = {
      id: '01a1e15e-5d89-7000-a000-0000000000aa',
      partition: 0,
      tenant: 'acme',
      kind: 'submission' as const,
      job: 'mail',
      class: 1 as const,
      head: '',
      input: new Uint8Array([9]),
      key: null,
      atMs: world.nowMs,
    };
    await world.disk.putInbox(entry);
    await world.run(6_000);
    expect(world.disk.snapshot().inbox).toEqual([]);
    expect(world.disk.snapshot().runs).toHaveLength(1);
    const holders = await world.disk.readKeys([{ tenant: 'acme', key: entryKey(entry.id) }]);
    expect(holders).toHaveLength(1);
    // Repeating the entry, as a client does that got no answer, makes no second run.
    await world.disk.putInbox(entry);
    await world.run(6_000);
    expect(world.disk.snapshot().runs).toHaveLength(1);
    expect(world.disk.snapshot().inbox).toEqual([]);
    expect(node.fatal).toEqual([]);
  });
});

describe('a backlog beyond memory', () => {
  const settings = { queueWindow: 20, pageSize: 10, classWindow: 1_000 };

  const submitMany = async (node: VirtualNode, count: number) => {
    const spec = await node.spec('acme', 'mail');
    const sent = Promise.all(Array.from({ length: count }, () => node.submit(spec)));
    await node.world.run(50);
    return sent;
  };

  it('waits in the store in order, is paged in as the queue runs low, and all of it runs', async () => {
    const { world, node } = await start({ settings });
    await submitMany(node, 500);
    expect(node.engine.core.books.get(0)?.runs.size).toBe(20);
    expect(world.disk.snapshot().parked).toHaveLength(480);
    node.finishEverything();
    node.attach('w', 5);
    await world.run(5_000);
    expect(world.disk.snapshot().ends).toHaveLength(500);
    const order = node.assigned().map((effect) => effect.attempt.task.run.seq);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  it('survives a take-over in the middle, nothing lost and nothing twice', async () => {
    let left = Number.POSITIVE_INFINITY;
    const { world, node } = await start({
      settings,
      loop: { checkpointFacts: 50 },
      // The store answers so many more commits and then falls silent.
      store: (disk) =>
        faulty(disk, (real) => ({
          append: (commit) => (left-- > 0 ? real.append(commit) : new Promise(() => {})),
        })),
    });
    await submitMany(node, 300);
    left = 50;
    node.finishEverything();
    node.attach('w', 3);
    await world.run(1_000);
    node.loop.halt();
    const ended = world.disk.snapshot().ends.length;
    expect(ended).toBeGreaterThan(30);
    expect(ended).toBeLessThan(300);
    const next = await world.startNode({ name: 'node-b', settings });
    next.finishEverything();
    await world.run(8_000);
    next.attach('w', 3);
    await world.run(60_000);
    expect(world.disk.snapshot().ends).toHaveLength(300);
    expect(next.fatal).toEqual([]);
  });

  it('a parked run can be cancelled, and does not come back with its page', async () => {
    const { world, node } = await start({ settings });
    const answers = await submitMany(node, 100);
    const last = answers.at(-1);
    if (last?.kind !== 'accepted') throw new Error('not accepted');
    const id = { ms: last.ms, partition: last.partition, seq: last.seq };
    const { loop, store } = node;
    const about = { partition: id.partition, seq: id.seq, by: 'me', reason: 'changed my mind' };
    const command = { kind: 'cancel', ...about } as const;
    const cancelled = executeOnRun({ loop, store, tenant: 'acme', id, command });
    await world.run(50);
    expect(await cancelled).toEqual({ kind: 'done' });
    node.finishEverything();
    node.attach('w', 5);
    await world.run(5_000);
    const view = readRun({ loop, store, tenant: 'acme', id });
    await world.run(10);
    expect(await view).toMatchObject({ state: 'CANCELLED' });
    expect(world.disk.snapshot().ends).toHaveLength(100);
    expect(node.assigned()).toHaveLength(99);
  });

  it('TRG-02 due times beyond the horizon wait in the store and never start early', async () => {
    const { world, node, spec } = await start({ settings: { horizonMs: 60_000 } });
    const dueAt = world.nowMs + 600_000;
    await node.submitted(spec, { dueAt });
    expect(world.disk.snapshot().parked).toHaveLength(1);
    node.attach('w');
    const beats = () =>
      node.loop.report({ kind: 'beat', worker: 'w', foreignUse: NONE, progress: [] });
    while (world.nowMs < dueAt - 1) {
      await world.run(Math.min(5_000, dueAt - 1 - world.nowMs));
      beats();
    }
    expect(node.assigned()).toHaveLength(0);
    await world.run(10);
    expect(node.assigned()).toHaveLength(1);
  });
});

const NONE = { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 0 };
