import { NO_RESOURCES } from '@signalbox/engine';
import { type Commit, StoreError } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { faulty } from './testing/faulty-store.ts';
import { VirtualWorld } from './testing/virtual-world.ts';

describe('a slow store', () => {
  it('DUR-18 makes groups larger, then pauses P2, and everything returns to normal', async () => {
    const world = new VirtualWorld();
    for (const klass of [0, 1, 2] as const)
      await world.define('acme', `p${klass}`, { class: klass });
    let delayMs = 1;
    const sizes: number[] = [];
    const slow = (commit: Commit, append: (commit: Commit) => Promise<unknown>) =>
      new Promise<void>((resolve) => world.after(delayMs, resolve)).then(() => {
        sizes.push(commit.parts.reduce((sum, part) => sum + part.factCount, 0));
        return append(commit);
      });
    const node = await world.startNode({
      store: (disk) => faulty(disk, (real) => ({ append: (c) => slow(c, real.append) as never })),
    });
    const specs = await Promise.all([0, 1, 2].map((klass) => node.spec('acme', `p${klass}`)));
    const submitFor = async (ms: number) => {
      for (let i = 0; i < ms; i += 10) {
        for (const spec of specs) void node.submit(spec);
        await world.run(10);
      }
    };
    node.finishEverything();
    node.attach('w', 1_000);
    await submitFor(500);
    const quick = sizes.splice(0);
    delayMs = 300;
    await submitFor(8_000);
    const slowSizes = sizes.splice(0);
    const mean = (list: number[]) => list.reduce((a, b) => a + b, 0) / list.length;
    // Ten times fewer writes for the same transitions.
    expect(mean(slowSizes)).toBeGreaterThan(10 * mean(quick));
    expect(node.engine.core.pauseFrom).toBe(2);
    const paused = node.assigned().length;
    await submitFor(1_000);
    const classes = node
      .assigned()
      .slice(paused)
      .map((e) => e.attempt.class);
    expect(classes).toContain(0);
    expect(classes).toContain(1);
    expect(classes).not.toContain(2);
    delayMs = 1;
    await world.run(10_000);
    expect(node.engine.core.pauseFrom).toBe(3);
    expect(node.engine.core.queues.size).toEqual([0, 0, 0]);
  });

  it('DUR-18 does not pause P2 for ever where nothing but P2 is left to be committed', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'p2', { class: 2 });
    let delayMs = 300;
    const node = await world.startNode({
      store: (disk) =>
        faulty(disk, (real) => ({
          append: (commit) =>
            new Promise<void>((resolve) => world.after(delayMs, resolve)).then(() =>
              real.append(commit),
            ),
        })),
    });
    const spec = await node.spec('acme', 'p2');
    node.finishEverything();
    node.attach('w', 1);
    for (let i = 0; i < 80; i++) {
      void node.submit(spec);
      await world.run(100);
    }
    expect(node.engine.core.pauseFrom).toBe(2);
    // What was under way is committed, slowly; then there is nothing left but paused work.
    await world.run(2_000);
    expect(node.engine.core.queues.size[2]).toBeGreaterThan(0);
    delayMs = 1;
    await world.run(60_000);
    expect(node.engine.core.queues.size[2]).toBe(0);
    expect(node.engine.core.pauseFrom).toBe(3);
  });
});

describe('an absent store', () => {
  it('DUR-17 F7 refuses at once what it cannot keep, assigns nothing, and resumes without loss', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    let away = false;
    const gone = () => Promise.reject(new StoreError('unavailable', 'connection refused'));
    const node = await world.startNode({
      store: (disk) =>
        faulty(disk, (real) => ({
          append: (commit) => (away ? gone() : real.append(commit)),
          beat: (request) => (away ? gone() : real.beat(request)),
          readParked: (query) => (away ? gone() : real.readParked(query)),
          readInbox: (query) => (away ? gone() : real.readInbox(query)),
        })),
    });
    const spec = await node.spec('acme', 'mail');
    node.attach('w', 5);
    for (let i = 0; i < 20; i++) await node.submitted(spec);
    expect(node.assigned()).toHaveLength(5);
    away = true;
    await world.run(2_000);
    const refusedAt = world.nowMs;
    const answer = await node.submit(spec);
    expect(answer).toMatchObject({ kind: 'refused', code: 'unavailable' });
    expect(world.nowMs).toBe(refusedAt);
    // Workers finish meanwhile; their reports wait, nothing new is handed out.
    node.finishEverything();
    for (const effect of node.assigned()) node.onEffect(effect);
    await world.run(30_000);
    expect(node.assigned()).toHaveLength(5);
    expect(world.disk.snapshot().ends).toHaveLength(0);
    away = false;
    await world.run(20_000);
    node.attach('w', 5);
    await world.run(20_000);
    expect(world.disk.snapshot().ends).toHaveLength(20);
    expect(node.fatal).toEqual([]);
  });

  it('bounds what waits: reports are dropped, because workers repeat them', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    const node = await world.startNode({
      store: (disk) => faulty(disk, () => ({ append: () => new Promise(() => {}) })),
      loop: { pendingFactsMax: 10, mailboxMax: 50 },
    });
    const spec = await node.spec('acme', 'mail');
    const answers = Array.from({ length: 200 }, () => node.submit(spec));
    await world.run(100);
    const early = await Promise.all(answers.slice(100).map((a) => Promise.race([a, undefined])));
    expect(early.every((a) => a?.kind === 'refused' && a.code === 'overloaded')).toBe(true);
    for (let i = 0; i < 200; i++) node.attach(`w${i}`);
    expect(node.saw('reportDropped')).toBe(true);
  });
});

describe('three times as many requests as a node can decide', () => {
  it('LIV-12 cost no worker its heartbeats: none is taken for dead', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    // Ten facts in every commit, and a commit takes 50 ms: 200 submissions a second.
    const node = await world.startNode({
      store: (disk) =>
        faulty(disk, (real) => ({
          append: (commit) =>
            new Promise((resolve) => world.after(50, () => resolve(real.append(commit)))),
        })),
      loop: { pendingFactsMax: 10, turnFactsMax: 10, idleTurnFactsMax: 10, mailboxMax: 50 },
    });
    const spec = await node.spec('acme', 'mail');
    const workers = ['w1', 'w2', 'w3'];
    for (const worker of workers) {
      node.attach(worker, 1);
      node.beating(worker);
    }
    await world.run(1_000);
    let refused = 0;
    let submitted = 0;
    const flood = (): void => {
      for (let i = 0; i < 60; i++) {
        submitted++;
        void node.submit(spec).then((answer) => {
          if (answer.kind === 'refused') refused++;
        });
      }
      world.after(100, flood);
    };
    flood();
    await world.run(60_000);
    expect(refused).toBeGreaterThan(submitted / 2);
    expect(node.released.filter(({ kind }) => kind === 'alert')).toEqual([]);
    for (const worker of workers) {
      const found = node.engine.core.workers.workers.get(worker);
      expect(found?.status).toBe('healthy');
      expect(node.engine.core.now - (found?.lastSeenAt ?? 0)).toBeLessThan(5_000);
    }
    expect(node.fatal).toEqual([]);
  }, 60_000);

  it('LIV-12 is so also while nothing is decided: a beat does not wait behind a full mailbox', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    const node = await world.startNode({
      store: (disk) => faulty(disk, () => ({ append: () => new Promise(() => {}) })),
      loop: { pendingFactsMax: 10, mailboxMax: 50 },
    });
    const spec = await node.spec('acme', 'mail');
    node.attach('w', 1);
    await world.run(10);
    for (let i = 0; i < 400; i++) {
      void node.submit(spec);
      if (i % 100 === 99) await world.run(1_000);
    }
    expect(node.loop.waiting).toBeGreaterThanOrEqual(50);
    const beat = { kind: 'beat', worker: 'w', foreignUse: NO_RESOURCES, progress: [] } as const;
    expect(node.loop.report(beat)).toBe(true);
    expect(node.engine.core.workers.workers.get('w')?.lastSeenAt).toBe(node.engine.core.now);
    expect(node.loop.report({ kind: 'detachWorker', worker: 'w' })).toBe(false);
  });
});

describe('an untrusted lease', () => {
  it('DUR-21 F11 stops handing out before the lease ends, and answers no reads', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    let cut = false;
    const node = await world.startNode({
      store: (disk) =>
        faulty(disk, (real) => ({ beat: (r) => (cut ? new Promise(() => {}) : real.beat(r)) })),
    });
    const spec = await node.spec('acme', 'mail');
    await node.submitted(spec);
    cut = true;
    const cutAt = world.nowMs;
    await world.run(4_000);
    expect(node.loop.owns(0)).toBe(false);
    node.attach('w');
    await world.run(50);
    expect(node.assigned()).toHaveLength(0);
    expect(world.nowMs - cutAt).toBeLessThan(5_000);
  });
});
