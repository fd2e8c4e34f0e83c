import { StoreError } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { faulty } from './testing/faulty-store.ts';
import { VirtualWorld } from './testing/virtual-world.ts';

describe('nothing is told before it is durable', () => {
  it('DUR-02 I1 answers and effects wait for the commit of their group', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    const commits: (() => void)[] = [];
    const node = await world.startNode({
      store: (disk) =>
        faulty(disk, (real) => ({
          append: (commit) =>
            new Promise((resolve) => commits.push(() => resolve(real.append(commit)))),
        })),
    });
    node.attach('w');
    await world.run(10);
    let answered = false;
    const answer = node.submit(await node.spec('acme', 'mail')).then((a) => {
      answered = true;
      return a;
    });
    await world.run(2_000);
    expect(answered).toBe(false);
    expect(node.assigned()).toHaveLength(0);
    commits.shift()?.();
    await world.run(1);
    expect((await answer).kind).toBe('accepted');
    expect(node.assigned()).toHaveLength(1);
  });

  it('DUR-14 a crash between decision and commit leaves the task queued, and the worker without it', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    let lose = false;
    const node = await world.startNode({
      store: (disk) =>
        faulty(disk, (real) => ({
          append: (commit) => (lose ? new Promise(() => {}) : real.append(commit)),
        })),
    });
    await node.submitted(await node.spec('acme', 'mail'));
    lose = true;
    node.attach('w');
    await world.run(100);
    expect(node.engine.core.books.get(0)?.runs.get(1)?.tasks[0]?.state).toBe('ASSIGNED');
    node.loop.halt();
    expect(node.assigned()).toHaveLength(0);

    const next = await world.startNode({ name: 'node-b' });
    await world.run(10_000);
    expect(next.engine.core.books.get(0)?.runs.get(1)?.tasks[0]?.state).toBe('QUEUED');
    next.attach('w');
    await world.run(100);
    expect(next.assigned()).toHaveLength(1);
    expect(next.assigned()[0]?.attempt.number).toBe(1);
  });
});

describe('a commit whose answer was lost', () => {
  const scenario = async (written: boolean) => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    let appends = 0;
    const node = await world.startNode({
      store: (disk) =>
        faulty(disk, (real) => ({
          append: async (commit) => {
            appends++;
            if (appends > 1) return real.append(commit);
            if (written) await real.append(commit);
            throw new StoreError('unknown', 'the connection is gone');
          },
        })),
    });
    const answer = node.submit(await node.spec('acme', 'mail'));
    await world.run(1_000);
    return { world, node, answer: await answer, appends };
  };

  it('DUR-03 is found by reading back where it was written, and not written again', async () => {
    const { world, answer, appends } = await scenario(true);
    expect(answer.kind).toBe('accepted');
    expect(appends).toBe(1);
    expect(world.disk.snapshot().runs).toHaveLength(1);
  });

  it('is written again where it was not', async () => {
    const { world, answer, appends } = await scenario(false);
    expect(answer.kind).toBe('accepted');
    expect(appends).toBe(2);
    expect(world.disk.snapshot().runs).toHaveLength(1);
  });
});

describe('a superseded owner', () => {
  it('DUR-04 DUR-10 I9 loses the partition at its next commit and writes nothing', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    const node = await world.startNode();
    const spec = await node.spec('acme', 'mail');
    await node.submitted(spec);
    // Another owner, by whatever means: the old one has not noticed and still trusts its lease.
    await world.disk.releaseLease({ partition: 0, owner: 'node-a', epoch: 1 });
    await world.disk.acquireLease({ partition: 0, owner: 'thief', ttlMs: 60_000, commitId: 't' });
    const answer = await node.submitted(spec);
    expect(answer).toMatchObject({ kind: 'refused', code: 'not_owner' });
    expect(world.disk.snapshot().runs).toHaveLength(1);
    expect(node.events).toContainEqual({ kind: 'leaseLost', partition: 0, why: 'fenced' });
    expect(node.loop.owns(0)).toBe(false);
  });

  it('commits for the partitions that are still its own', async () => {
    const world = new VirtualWorld();
    const jobs = Array.from({ length: 12 }, (_, i) => `job-${i}`);
    for (const job of jobs) await world.define('acme', job);
    const node = await world.startNode({ loop: { partitions: 4 } });
    await world.disk.releaseLease({ partition: 2, owner: 'node-a', epoch: 1 });
    await world.disk.acquireLease({ partition: 2, owner: 'thief', ttlMs: 60_000, commitId: 't' });
    const specs = await Promise.all(jobs.map((job) => node.spec('acme', job)));
    const sent = Promise.all(specs.map((spec) => node.submit(spec)));
    await world.run(100);
    const answers = await sent;
    const refused = answers.filter((a) => a.kind === 'refused' && a.code === 'not_owner');
    const accepted = answers.filter((a) => a.kind === 'accepted');
    expect(refused.length).toBeGreaterThan(0);
    expect(accepted.length + refused.length).toBe(jobs.length);
    expect(world.disk.snapshot().runs).toHaveLength(accepted.length);
  });
});
