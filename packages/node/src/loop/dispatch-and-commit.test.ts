import { refOf } from '@signalbox/engine';
import { StoreError } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { faulty } from './testing/faulty-store.ts';
import { VirtualWorld } from './testing/virtual-world.ts';

const LEASE_MS = 5_000;

describe('a dispatch', () => {
  it.each([
    ['before the store has it', false],
    ['after the store has it, before the worker is told', true],
  ])('DUR-15 is neither lost nor a phantom if the node dies %s', async (_when, isWritten) => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    let dies = false;
    const node = await world.startNode({
      store: (disk) =>
        faulty(disk, (real) => ({
          append: async (commit) => {
            if (!dies) return real.append(commit);
            if (isWritten) await real.append(commit);
            return new Promise(() => {});
          },
        })),
    });
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await node.submitted(await node.spec('acme', 'mail')));
    dies = true;
    node.attach('w');
    await world.run(100);
    node.loop.halt();
    // No worker was told of anything that a crash can still undo.
    expect(node.assigned()).toEqual([]);

    const next = await world.startNode({ name: 'node-b' });
    next.finishEverything();
    await world.run(2 * LEASE_MS);
    next.attach('w');
    next.beating('w');
    await world.run(60_000);
    // Each task reached a worker once, and the one that never arrived is not charged.
    expect(
      next
        .assigned()
        .map(({ attempt }) => attempt.task.run.seq)
        .sort(),
    ).toEqual([1, 2, 3]);
    for (const { attempt } of next.assigned()) expect(attempt.task.charged).toBe(0);
    const { ends } = world.disk.snapshot();
    expect(ends.map(({ state }) => state)).toEqual(ids.map(() => 'SUCCEEDED'));
  });
});

describe('delayed runs', () => {
  it('MSG-01 are handed out not before their time, and 99 in 100 within a second of it', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    // A store that takes 30 ms for every commit.
    const node = await world.startNode({
      store: (disk) =>
        faulty(disk, (real) => ({
          append: (commit) =>
            new Promise((resolve) => world.after(30, () => resolve(real.append(commit)))),
        })),
    });
    node.attach('w', 1_000);
    node.beating('w');
    node.finishEverything();
    const finish = node.onEffect;
    const lateMs: number[] = [];
    node.onEffect = (effect) => {
      if (effect.kind === 'assign') {
        lateMs.push(world.nowMs - (effect.attempt.task.run.head.dueAt ?? 0));
      }
      finish(effect);
    };
    const spec = await node.spec('acme', 'mail');
    const from = world.nowMs + 60_000;
    // Some at one instant, some apart.
    for (let i = 0; i < 500; i++) void node.submit(spec, { dueAt: from + Math.floor(i / 5) * 97 });
    await world.run(120_000);
    expect(lateMs).toHaveLength(500);
    lateMs.sort((a, b) => a - b);
    expect(lateMs[0]).toBeGreaterThanOrEqual(0);
    expect(lateMs[Math.floor(lateMs.length * 0.99)]).toBeLessThanOrEqual(1_000);
  });
});

describe('the same execution, published again', () => {
  it('DUR-08 within five minutes has no effect, also on another node and after memory has forgotten it', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    const settings = { keysKept: 1 };
    const node = await world.startNode({ settings });
    node.finishEverything();
    node.attach('w');
    node.beating('w');
    const publish = async (on: typeof node, key: string) =>
      on.submitted(await on.spec('acme', 'mail'), { key });
    const first = await publish(node, 'execution-1');
    expect(first.kind).toBe('accepted');
    for (let second = 0; second < 300; second += 30) {
      await world.run(29_000);
      await publish(node, `other-${second}`);
      expect(await publish(node, 'execution-1')).toEqual({ ...first, kind: 'duplicate' });
    }
    void node.loop.stop();
    await world.run(LEASE_MS);
    const next = await world.startNode({ name: 'node-b', settings });
    await world.run(LEASE_MS);
    expect(await publish(next, 'execution-1')).toEqual({ ...first, kind: 'duplicate' });
    const started = node.assigned().filter(({ attempt }) => attempt.task.run.seq === 1);
    expect(started).toHaveLength(1);
    expect(next.assigned()).toEqual([]);
    expect(world.disk.snapshot().runs).toHaveLength(11);
  });
});

describe('the owner of a partition', () => {
  it('CLU-04 I8 is told in order that it has it, that the store fails and that it lost it, and stops before the lease ends', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    let isCut = false;
    const cut = <T>(call: () => Promise<T>): Promise<T> =>
      isCut ? Promise.reject(new StoreError('unavailable', 'cut')) : call();
    const node = await world.startNode({
      store: (disk) =>
        faulty(disk, (real) => ({
          append: (commit) => cut(() => real.append(commit)),
          beat: (request) => cut(() => real.beat(request)),
        })),
    });
    node.attach('w', 1);
    node.beating('w');
    await node.submitted(await node.spec('acme', 'mail'));
    await node.submitted(await node.spec('acme', 'mail'));
    const [running] = node.assigned();
    expect(node.assigned()).toHaveLength(1);
    isCut = true;
    const [lease] = await world.disk.listLeases();
    const endsAt = lease?.expiresAtMs ?? 0;
    let stoppedAt = 0;
    while (stoppedAt === 0 && world.nowMs < endsAt) {
      await world.run(10);
      if (!node.loop.leases.isTrusted(0)) stoppedAt = world.nowMs;
    }
    // A slot becomes free after that: nothing is handed out on a lease that may be another node's.
    const result = { kind: 'succeeded', output: null } as const;
    node.loop.report({ kind: 'finish', worker: 'w', ref: refOf(running!.attempt), result });
    await world.run(2_000);
    expect(stoppedAt).toBeGreaterThan(0);
    expect(stoppedAt).toBeLessThan(endsAt);
    expect(node.assigned()).toHaveLength(1);
    const next = await world.startNode({ name: 'node-b' });
    await world.run(2 * LEASE_MS);
    expect(next.loop.owns(0)).toBe(true);
    expect(node.assigned()).toHaveLength(1);
    isCut = false;
    await world.run(LEASE_MS);
    const kinds = ['leaseAcquired', 'takenOver', 'storeAway', 'leaseLost'];
    const told = node.events.map(({ kind }) => kind).filter((kind) => kinds.includes(kind));
    expect([...new Set(told)]).toEqual(kinds);
  });
});
