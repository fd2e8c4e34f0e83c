import {
  type Answer,
  type Command,
  entryKey,
  formatRunId,
  type JobSpec,
  partitionOf,
  type RunId,
} from '@signalbox/engine';
import type { InboxEntry, Store } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { faulty } from './testing/faulty-store.ts';
import { MINUTE, save } from './testing/minutely.ts';
import { type NodeParams, type VirtualNode, VirtualWorld } from './testing/virtual-world.ts';

/** Holds commits back, so that a test decides what happens while one is under way. */
class Gate {
  #open: (() => void) | null = null;
  #closed: Promise<void> | null = null;

  close(): void {
    this.#closed = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open?.();
    this.#closed = null;
  }

  readonly store = (disk: Store): Store =>
    faulty(disk, (real) => ({
      append: async (commit) => {
        await this.#closed;
        return real.append(commit);
      },
    }));
}

async function start(params: NodeParams = {}) {
  const world = new VirtualWorld();
  const gate = new Gate();
  await world.define('acme', 'mail');
  await world.define('acme', 'job', { overlap: 'skip' });
  const settings = { keysKept: 1, ...params.settings };
  const node = await world.startNode({ store: gate.store, ...params, settings });
  node.finishEverything();
  node.attach('w');
  const mail = await node.spec('acme', 'mail');
  return { world, node, gate, mail, alone: await node.spec('acme', 'job') };
}

/** The key belongs to a run that has ended, and memory has forgotten it. */
async function forgotten(node: VirtualNode, spec: JobSpec, key: string): Promise<Answer> {
  const first = await node.submitted(spec, { key });
  await node.world.run(1_000);
  await node.submitted(await node.spec('acme', 'mail'), { key: `${key} is forgotten` });
  await node.world.run(1_000);
  return first;
}

function batch(node: VirtualNode, spec: JobSpec, heads: readonly object[]): Command[] {
  const partition = partitionOf(spec.tenant, spec.job, node.loop.settings.partitions);
  return heads.map((head) => ({ kind: 'submit', partition, spec, head, input: null }));
}

function duplicate(answer: Answer): Answer {
  return { ...answer, kind: 'duplicate' } as Answer;
}

describe('a decision that depends on a provisional run', () => {
  it('TRG-27 I10 K1 is not taken for a window: it fires, because nothing was in its way', async () => {
    const { world, node, gate, alone } = await start();
    const first = await forgotten(node, alone, 'order-1');
    await save(world, { job: 'job' });
    await world.run(MINUTE - 3_000);
    const before = world.disk.snapshot().runs.length;
    gate.close();
    const again = node.submit(alone, { key: 'order-1' });
    // The window falls due while the commit with the submission is under way.
    await world.run(4_000);
    gate.open();
    await world.run(1_000);
    expect(await again).toEqual(duplicate(first));
    const runs = world.disk.snapshot().runs.slice(before);
    expect(runs.map(({ head }) => JSON.parse(head).window?.schedule)).toEqual(['minutely']);
    const [schedule] = [...(node.engine.core.books.get(0)?.schedules.values() ?? [])];
    expect(schedule?.skips).toBeNull();
    expect(node.fatal).toEqual([]);
  });

  it('TRG-27 K1 is taken for a window once the run is durable: it overlaps', async () => {
    const { world, node, gate, alone } = await start();
    node.onEffect = () => {};
    await save(world, { job: 'job' });
    await world.run(MINUTE - 3_000);
    gate.close();
    const live = node.submit(alone, { key: 'order-1' });
    await world.run(4_000);
    gate.open();
    await world.run(1_000);
    expect((await live).kind).toBe('accepted');
    expect(world.disk.snapshot().runs).toHaveLength(1);
    const [schedule] = [...(node.engine.core.books.get(0)?.schedules.values() ?? [])];
    expect(schedule?.skips).toMatchObject([{ reason: 'overlap', count: 1 }]);
    // It goes on: the next window is decided as well.
    await world.run(MINUTE);
    expect(schedule?.skips).toMatchObject([{ reason: 'overlap', count: 2 }]);
  });

  it('K1 an edit of the schedule waits for it as well, and loses no window', async () => {
    const { world, node, gate, alone } = await start();
    const first = await forgotten(node, alone, 'order-1');
    await save(world, { job: 'job' });
    await world.run(MINUTE - 1_500);
    const before = world.disk.snapshot().runs.length;
    gate.close();
    const again = node.submit(alone, { key: 'order-1' });
    await world.run(3_000);
    await save(world, { job: 'job', version: 2, class: 0 });
    void node.loop.schedules.refresh();
    await world.run(2_000);
    gate.open();
    await world.run(3_000);
    expect(await again).toEqual(duplicate(first));
    const runs = world.disk.snapshot().runs.slice(before);
    expect(runs.map(({ head }) => JSON.parse(head).window?.schedule)).toEqual(['minutely']);
    expect(node.engine.core.books.get(0)?.schedules.values().next().value?.version).toBe(2);
  });
});

describe('a mail that the store refuses a key of', () => {
  it('K2 is decided again whole: each of a batch is answered from the same state', async () => {
    const { world, node, mail } = await start();
    const first = await forgotten(node, mail, 'order-1');
    node.onEffect = () => {};
    const heads = [
      { key: 'order-1', unique: 'u' },
      { key: 'order-2', unique: 'u' },
      { key: 'order-3', unique: 'u' },
      { key: 'order-2' },
    ];
    const sent = node.loop.executeAll(batch(node, mail, heads));
    await world.run(1_000);
    const [one, two, three, four] = await sent;
    expect(one).toEqual(duplicate(first));
    expect(two?.kind).toBe('accepted');
    expect([three, four]).toEqual([duplicate(two as Answer), duplicate(two as Answer)]);
    const [held] = await world.disk.readKeys([{ tenant: 'acme', key: 'order-3' }]);
    expect(held?.run.seq).toBe((two as { seq: number }).seq);
    expect(world.disk.snapshot().runs).toHaveLength(3);
  });

  it('K1 waits where it would now be compared with something provisional', async () => {
    const { world, node, gate, mail } = await start({ settings: { keysKept: 2 } });
    const first = await forgotten(node, mail, 'order-1');
    await node.submitted(mail, { key: 'another' });
    const other = await forgotten(node, mail, 'order-8');
    await node.submitted(mail, { key: 'more' });
    const assigned: { finish: () => void }[] = [];
    const { onEffect } = node;
    node.onEffect = (effect) => assigned.push({ finish: () => onEffect(effect) });
    const live = await node.submitted(mail, { unique: 'u' });
    gate.close();
    // Equals the live run by its unique value; its key is another's.
    const again = node.loop.executeAll(
      batch(node, mail, [{ key: 'order-1' }, { key: 'order-9', unique: 'u' }]),
    );
    await world.run(10);
    // The live run ends, and a submission whose key is taken as well has the value for a moment.
    for (const { finish } of assigned.splice(0)) finish();
    await world.run(10);
    const beside = node.submit(mail, { key: 'order-8', unique: 'u' });
    await world.run(10);
    gate.open();
    await world.run(1_000);
    const [one, nine] = await again;
    expect(one).toEqual(duplicate(first));
    expect(await beside).toEqual(duplicate(other));
    // A run of its own: the live one had ended, and the other never was.
    expect(nine?.kind).toBe('accepted');
    expect((nine as { seq: number }).seq).not.toBe((live as { seq: number }).seq);
    expect(node.fatal).toEqual([]);
  });

  it('K1 I1 nothing is compared with a run of it that has no key and goes with the others', async () => {
    const { world, node, gate, mail } = await start();
    const first = await forgotten(node, mail, 'order-1');
    node.onEffect = () => {};
    gate.close();
    const together = node.loop.executeAll(batch(node, mail, [{ key: 'order-1' }, { unique: 'u' }]));
    await world.run(10);
    const equal = node.submit(mail, { unique: 'u' });
    await world.run(10);
    gate.open();
    await world.run(1_000);
    const [one, two] = await together;
    expect(one).toEqual(duplicate(first));
    const run = await equal;
    // Whichever of the two was first made the run: both name one that is there.
    expect([two, run].map((answer) => answer?.kind).sort()).toEqual(['accepted', 'duplicate']);
    expect((two as { seq: number }).seq).toBe((run as { seq: number }).seq);
    const ids = world.disk.snapshot().runs.map(({ id }) => id);
    expect(ids).toContain(formatRunId(run as unknown as RunId));
    expect(node.fatal).toEqual([]);
  });

  it('I2 is told of the holder of a key that memory had forgotten before it was durable', async () => {
    const { world, node, gate, mail } = await start();
    gate.close();
    const sent = ['a', 'b', 'c', 'a', 'b', 'c'].map((key) => node.submit(mail, { key }));
    await world.run(10);
    gate.open();
    await world.run(1_000);
    const answers = await Promise.all(sent);
    expect(answers.map(({ kind }) => kind).slice(0, 3)).toEqual(Array(3).fill('accepted'));
    expect(answers.slice(3)).toEqual(answers.slice(0, 3).map(duplicate));
    expect(world.disk.snapshot().runs).toHaveLength(3);
  });
});

describe('an inbox entry', () => {
  it('DUR-06 is a new run where memory remembers its key for longer than the store', async () => {
    const { world, node, mail } = await start({ settings: { keysKept: 100 } });
    const old = await node.submitted(mail, { key: 'order-1' });
    await world.run(MINUTE);
    // Retention drops the key in the store; memory has not been asked to.
    await world.disk.forgetKeys({ beforeMs: world.nowMs, after: null, limit: 10 });
    const waiting: InboxEntry = {
      id: '01a1e15e-5d89-7000-a000-0000000000aa',
      partition: 0,
      kind: 'submission',
      tenant: 'acme',
      job: 'job',
      class: 1,
      head: '',
      input: null,
      key: 'order-1',
      atMs: world.nowMs,
    };
    expect(await world.disk.putInbox(waiting)).toEqual({ kind: 'put' });
    node.loop.lookIntoInbox();
    await world.run(1_000);
    const held = await world.disk.readKeys(
      [entryKey(waiting.id), 'order-1'].map((key) => ({ tenant: 'acme', key })),
    );
    expect(held).toHaveLength(2);
    for (const { run } of held) expect(run.seq).not.toBe((old as { seq: number }).seq);
    const [run] = world.disk.snapshot().runs.slice(-1);
    expect(run).toMatchObject({ job: 'job', id: formatRunId(held[0]?.run as RunId) });
  });
});

describe('what waits for a group whose partition is lost', () => {
  it('I1 does not wait for another decision: a reader is released, mail is decided', async () => {
    const { world, node, gate, mail } = await start();
    gate.close();
    // The first is on its way, so that the next ones gather behind it.
    const onItsWay = node.submit(mail, { key: 'a' });
    await world.run(10);
    const lost = node.submit(mail, { key: 'b' });
    const deferred = node.submit(mail, { key: 'b' });
    await world.run(10);
    const group = node.engine.core.groupNumber;
    let isReleased = false;
    void node.loop.durable(group).then(() => {
      isReleased = true;
    });
    const held = node.loop.leases.held.get(0);
    if (held === undefined) throw new Error('the partition is not held');
    // Another owner: the commit under way is fenced when it arrives, and nothing else is decided here.
    await world.disk.releaseLease({ partition: 0, owner: 'node-a', epoch: held.epoch });
    const thief = { partition: 0, owner: 'thief', ttlMs: 60_000, commitId: 't' };
    await world.disk.acquireLease(thief);
    gate.open();
    await world.run(50);
    expect((await onItsWay).kind).toBe('refused');
    expect((await lost).kind).toBe('refused');
    expect((await deferred).kind).toBe('refused');
    expect(isReleased).toBe(true);
  });
});

describe('a group that was full when its partition was lost', () => {
  it('I18 leaves room for the mail of other partitions', async () => {
    const { world, node, gate } = await start({
      loop: { partitions: 4, groupBytesMax: 10_000, mailboxBytesMax: 100_000 },
    });
    const names = Array.from({ length: 12 }, (_, i) => `job-${i}`);
    for (const name of names) await world.define('acme', name);
    const specs = await Promise.all(names.map((name) => node.spec('acme', name)));
    const lost = specs.filter(({ job }) => partitionOf('acme', job, 4) === 2);
    const [kept] = specs.filter(({ job }) => partitionOf('acme', job, 4) !== 2);
    const [doomed] = lost;
    if (kept === undefined || doomed === undefined) throw new Error('no job of the partition');
    gate.close();
    const onItsWay = node.submit(doomed);
    await world.run(10);
    // Gathers behind the commit that will be fenced, and fills the group.
    const large = node.submit(doomed, { input: new Uint8Array(20_000) });
    await world.run(10);
    const held = node.loop.leases.held.get(2);
    await world.disk.releaseLease({ partition: 2, owner: 'node-a', epoch: held?.epoch ?? 0 });
    const thief = { partition: 2, owner: 'thief', ttlMs: 60_000, commitId: 't' };
    await world.disk.acquireLease(thief);
    const beside = node.submit(kept);
    gate.open();
    await world.run(50);
    expect((await onItsWay).kind).toBe('refused');
    expect((await large).kind).toBe('refused');
    expect((await beside).kind).toBe('accepted');
  });
});

describe('a caller that waits for everything to be durable', () => {
  it('waits for mail that is deferred, too', async () => {
    const { world, node, gate, mail } = await start();
    gate.close();
    const first = node.submit(mail, { key: 'a' });
    const second = node.submit(mail, { key: 'a' });
    await world.run(10);
    let isFlushed = false;
    const flushed = node.loop.flushed().then(() => {
      isFlushed = true;
    });
    await world.run(10);
    expect(isFlushed).toBe(false);
    expect(node.loop.waiting).toBe(1);
    gate.open();
    await world.run(100);
    await flushed;
    expect(await second).toEqual(duplicate(await first));
    expect(node.loop.waiting).toBe(0);
  });
});
