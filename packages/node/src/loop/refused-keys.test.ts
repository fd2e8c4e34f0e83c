import { type Answer, formatRunId, type RunId } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { executeOnRun } from './index.ts';
import { faulty } from './testing/faulty-store.ts';
import { type NodeParams, VirtualWorld } from './testing/virtual-world.ts';

/** Holds the answers to commits back: the store has decided, and the node does not know yet. */
class LateAnswers {
  #release: (() => void) | null = null;
  #held: Promise<void> | null = null;

  hold(): void {
    this.#held = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  release(): void {
    this.#release?.();
    this.#held = null;
  }

  readonly store = (disk: Store): Store =>
    faulty(disk, (real) => ({
      append: async (commit) => {
        const result = await real.append(commit);
        await this.#held;
        return result;
      },
    }));
}

async function start(params: NodeParams = {}) {
  const world = new VirtualWorld();
  const late = new LateAnswers();
  await world.define('acme', 'mail');
  await world.define('acme', 'job', { overlap: 'skip' });
  const settings = { keysKept: 1, ...params.settings };
  const node = await world.startNode({ store: late.store, ...params, settings });
  return { world, node, late, mail: await node.spec('acme', 'mail') };
}

describe('a commit that is refused for a key', () => {
  it('I2 whose partition was lost before the answer came: the node goes on', async () => {
    const { world, node, late, mail } = await start();
    await node.submitted(mail, { key: 'order-1' });
    await node.submitted(mail, { key: 'order-2' });
    late.hold();
    const again = node.submit(mail, { key: 'order-1' });
    await world.run(10);
    // The store has refused the commit; before its answer comes, the lease is another's.
    const epoch = node.loop.leases.held.get(0)?.epoch ?? 0;
    await world.disk.releaseLease({ partition: 0, owner: 'node-a', epoch });
    const thief = { partition: 0, owner: 'thief', ttlMs: 1_000, commitId: 't' };
    await world.disk.acquireLease(thief);
    await world.run(2_000);
    expect(node.saw('leaseLost')).toBe(true);
    late.release();
    await world.run(10_000);
    expect(node.fatal).toEqual([]);
    expect(await again).toMatchObject({ kind: 'refused', code: 'unknown' });
    expect((await node.submitted(mail)).kind).toBe('accepted');
  });
});

describe('the end of a wait for a nested run', () => {
  it('I1 whose key is refused to it cancels the run that has the key, also where that is parked', async () => {
    const key = '\u0001nested/1/a-run/n/5';
    const looks: (() => void)[] = [];
    const store = (disk: Store): Store =>
      faulty(disk, (real) => ({
        readKeys: async (keys) => {
          const found = await real.readKeys(keys);
          await new Promise<void>((resolve) => looks.push(resolve));
          return found;
        },
      }));
    const { world, node, mail } = await start({ store });
    const word = { kind: 'cancelNested', job: 'mail', key, of: { ms: 1, partition: 7, seq: 3 } };
    await world.disk.putInbox({
      id: '01a1e15e-5d89-7000-a000-0000000000aa',
      partition: 0,
      kind: 'message',
      tenant: 'acme',
      job: 'mail',
      class: 0,
      head: JSON.stringify({ word }),
      input: null,
      key: null,
      atMs: world.nowMs,
    });
    node.loop.lookIntoInbox();
    await world.run(10);
    // The store was asked; now the nested run comes, waits in the store, and memory forgets its key.
    const dueAt = world.nowMs + 30 * 86_400_000;
    const nested = await node.submitted(mail, { key, dueAt });
    expect(node.engine.core.books.get(0)?.runs.size).toBe(0);
    await node.submitted(mail, { key: 'another' });
    for (let i = 0; i < 20; i++) {
      for (const answer of looks.splice(0)) answer();
      await world.run(1_000);
    }
    expect(node.saw('keyTaken')).toBe(true);
    expect(world.disk.snapshot().inbox).toEqual([]);
    const id = formatRunId(nested as RunId & Answer);
    expect(world.disk.snapshot().ends).toMatchObject([{ id, state: 'CANCELLED' }]);
  });
});

describe('a queue in the store whose first run was withdrawn', () => {
  it('I3 is the same to the next owner: what was fetched out of it is not read again', async () => {
    const settings = { queueWindow: 2, pageSize: 2, classWindow: 1_000 };
    const { world, node, late, mail } = await start({ settings });
    const first = await node.submitted(mail, { key: 'order-1' });
    await node.submitted(mail, { key: 'order-2' });
    late.hold();
    // The first that is parked; the store knows its key.
    const again = node.submit(mail, { key: 'order-1' });
    const parked = [node.submit(mail), node.submit(mail)];
    await world.run(10);
    late.release();
    await world.run(100);
    expect(await again).toEqual({ ...first, kind: 'duplicate' });
    const [fetched] = (await Promise.all(parked)) as (Answer & RunId)[];
    if (fetched === undefined) throw new Error('nothing was submitted');
    const { loop, store } = node;
    const about = { partition: 0, seq: fetched.seq, by: 'ann', reason: '' };
    const command = { kind: 'changeClass', class: 0, ...about } as const;
    const changed = executeOnRun({ loop, store, tenant: 'acme', id: fetched, command });
    await world.run(100);
    expect((await changed).kind).toBe('done');
    const lanes = () =>
      [...(node.engine.core.books.get(0)?.lanes.values() ?? [])].map((l) => [...(l.taken ?? [])]);
    expect(lanes()).toEqual([[fetched.seq]]);
    node.loop.halt();
    const next = await world.startNode({ name: 'node-b', settings });
    await world.run(10_000);
    const taken = [...(next.engine.core.books.get(0)?.lanes.values() ?? [])].map((lane) => [
      ...(lane.taken ?? []),
    ]);
    expect(taken).toEqual([[fetched.seq]]);
  });
});
