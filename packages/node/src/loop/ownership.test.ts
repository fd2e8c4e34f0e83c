import { partitionOf } from '@signalbox/engine';
import { StoreError } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { faulty } from './testing/faulty-store.ts';
import { VirtualWorld } from './testing/virtual-world.ts';

const NONE = { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 0 };

describe('a partition whose lease the store refuses', () => {
  it('is named again and again, with a growing distance, and the others work', async () => {
    const world = new VirtualWorld();
    const refuse = new StoreError('invalid', 'UNIQUE constraint failed');
    const node = await world.startNode({
      loop: { partitions: 2 },
      store: (disk) =>
        faulty(disk, (real) => ({
          acquireLease: (params) =>
            params.partition === 1 ? Promise.reject(refuse) : real.acquireLease(params),
        })),
    });
    await world.run(10_000);
    const failed = node.events.filter((event) => event.kind === 'takeOverFailed');
    expect(failed.length).toBeGreaterThanOrEqual(2);
    expect(failed[0]).toMatchObject({ partition: 1, error: 'UNIQUE constraint failed' });
    expect(failed.at(-1)?.retryMs).toBeGreaterThan(failed[0]?.retryMs ?? 0);
    expect([...node.loop.leases.held.keys()]).toEqual([0]);
  });
});

describe('a partition that comes and goes while mail waits', () => {
  it('DUR-02 DUR-04 does not come to life from a lease that was lost, and accepts nothing', async () => {
    const world = new VirtualWorld();
    const [first, second] = [0, 1].map((partition) => {
      const names = Array.from({ length: 50 }, (_, i) => `job-${i}`);
      return names.find((name) => partitionOf('acme', name, 2) === partition) as string;
    }) as [string, string];
    await world.define('acme', first);
    await world.define('acme', second);
    const waiting: (() => void)[] = [];
    let hang = false;
    const node = await world.startNode({
      loop: { partitions: 2, pendingFactsMax: 1 },
      store: (disk) =>
        faulty(disk, (real) => ({
          append: (commit) =>
            hang
              ? new Promise((resolve) => waiting.push(() => resolve(real.append(commit))))
              : real.append(commit),
        })),
    });
    const thief = { partition: 1, owner: 'thief', ttlMs: 60_000, commitId: 't' };
    const specs = [await node.spec('acme', first), await node.spec('acme', second)] as const;
    hang = true;
    // One group is on its way and one is full: nothing more is decided.
    void node.submit(specs[0]);
    await world.run(10);
    void node.submit(specs[0]);
    await world.run(10);
    await world.disk.releaseLease({ partition: 1, owner: 'node-a', epoch: 1 });
    await world.disk.acquireLease(thief);
    await world.run(2_000);
    await world.disk.releaseLease({ partition: 1, owner: 'thief', epoch: 2 });
    await world.run(2_000);
    expect(node.loop.leases.held.get(1)?.epoch).toBe(3);
    const answer = node.submit(specs[1], { key: 'K' });
    await world.disk.releaseLease({ partition: 1, owner: 'node-a', epoch: 3 });
    await world.disk.acquireLease(thief);
    await world.run(2_000);
    hang = false;
    for (const release of waiting.splice(0)) release();
    await world.run(50);
    expect(await answer).toMatchObject({ kind: 'refused' });
    expect(node.engine.core.books.has(1)).toBe(false);
    expect(await world.disk.readKeys([{ tenant: 'acme', key: 'K' }])).toEqual([]);
    expect(node.fatal).toEqual([]);
  });

  it('DUR-06 takes its keys with it: a retry is accepted anew where nothing was stored', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    const node = await world.startNode();
    const spec = await node.spec('acme', 'mail');
    await world.disk.releaseLease({ partition: 0, owner: 'node-a', epoch: 1 });
    await world.disk.acquireLease({ partition: 0, owner: 'thief', ttlMs: 1_000, commitId: 't' });
    const dueAt = world.nowMs + 50 * 3_600_000;
    const refused = await node.submitted(spec, { key: 'K', dueAt });
    expect(refused).toMatchObject({ kind: 'refused', code: 'not_owner' });
    await world.run(6_000);
    expect(node.loop.owns(0)).toBe(true);
    expect(await node.submitted(spec, { key: 'K', dueAt })).toMatchObject({ kind: 'accepted' });
  });
});

describe('stopping', () => {
  it('is not held up by mail that decides nothing', async () => {
    const world = new VirtualWorld();
    const node = await world.startNode();
    node.attach('w');
    await world.run(10);
    node.loop.report({ kind: 'beat', worker: 'w', foreignUse: NONE, progress: [] });
    let stopped = false;
    void node.loop.stop().then(() => {
      stopped = true;
    });
    await world.run(1_000);
    expect(stopped).toBe(true);
    expect(await world.disk.listLeases()).toMatchObject([{ epoch: 1 }]);
  });
});

describe('deadlines under a flood of mail', () => {
  it('LIV-02 are kept although the mailbox is never empty', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    const node = await world.startNode({ loop: { pendingFactsMax: 1 } });
    const spec = await node.spec('acme', 'mail');
    node.attach('w');
    await node.submitted(spec);
    for (let i = 0; i < 2_200; i++) {
      for (let k = 0; k < 3; k++) void node.submit(spec);
      await world.run(10);
    }
    // Silent for 22 s: lost after 15.
    expect(node.engine.core.workers.workers.has('w')).toBe(false);
  });
});

describe('a partition that this node cannot keep', () => {
  const FIVE_MINUTES = 300_000;

  it('is taken again more and more rarely while the store refuses what is decided in it', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    let refuses = true;
    const node = await world.startNode({
      store: (disk) =>
        faulty(disk, (real) => ({
          append: (commit) =>
            refuses
              ? Promise.reject(new StoreError('invalid', 'this will not pass'))
              : real.append(commit),
        })),
    });
    const spec = await node.spec('acme', 'mail');
    const submit = (): void => {
      void node.submit(spec);
      world.after(500, submit);
    };
    submit();
    await world.run(FIVE_MINUTES);
    const refusals = node.events.filter(({ kind }) => kind === 'groupRefused').length;
    expect(refusals).toBeGreaterThan(3);
    expect(refusals).toBeLessThan(15);
    refuses = false;
    await world.run(70_000);
    expect(await node.submitted(spec)).toMatchObject({ kind: 'accepted' });
    expect(node.fatal).toEqual([]);
  });

  it('is told of, and taken again more and more rarely, while the store refuses to read it', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    let refuses = true;
    let reads = 0;
    const node = await world.startNode({
      store: (disk) =>
        faulty(disk, (real) => ({
          readCheckpoint: (partition) => {
            reads++;
            return refuses
              ? Promise.reject(new StoreError('invalid', 'this cannot be read'))
              : real.readCheckpoint(partition);
          },
        })),
    });
    await world.run(FIVE_MINUTES);
    expect(reads).toBeGreaterThan(3);
    expect(reads).toBeLessThan(15);
    expect(node.events.filter(({ kind }) => kind === 'takeOverFailed')).toHaveLength(reads);
    refuses = false;
    await world.run(70_000);
    expect(await node.submitted(await node.spec('acme', 'mail'))).toMatchObject({
      kind: 'accepted',
    });
    expect(node.fatal).toEqual([]);
  });
});
