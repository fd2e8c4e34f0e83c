import type { Engine } from '@signalbox/engine';
import type { InboxEntry } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { packEvents } from './inbox-events.ts';
import { faulty } from './testing/faulty-store.ts';
import { type NodeParams, VirtualWorld } from './testing/virtual-world.ts';

const WAITS = {
  tasks: [
    { name: 'first', event: { type: 'paid' } },
    { name: 'second', after: ['first'], event: { type: 'paid' } },
    { name: 'third', after: ['second'] },
  ],
};

async function start(params: NodeParams = {}) {
  const world = new VirtualWorld();
  await world.define('acme', 'mail');
  await world.define('acme', 'pay', WAITS);
  const node = await world.startNode(params);
  let ids = 0;
  const base = () => {
    const id = `01a1e15e-5d89-7000-a000-${String(++ids).padStart(12, '0')}`;
    return { id, partition: 0, tenant: 'acme', atMs: world.nowMs };
  };
  const submission = (own: Partial<InboxEntry> = {}): InboxEntry => {
    const what = { kind: 'submission', job: 'mail', class: 1, head: '' } as const;
    return { ...base(), ...what, input: null, key: null, ...own };
  };
  const event = (key: string, own: Partial<InboxEntry> = {}): InboxEntry => {
    const bytes = new TextEncoder().encode(JSON.stringify(key));
    return { ...base(), ...packEvents([{ type: 'paid', key, event: bytes }]), ...own };
  };
  const states = (seq = 1) =>
    node.engine.core.books
      .get(0)
      ?.runs.get(seq)
      ?.tasks.map(({ state }) => state);
  return { world, node, submission, event, states };
}

/** Counts the commands of a kind that the engine is given. */
function counted(engine: Engine, kind: string): () => number {
  let count = 0;
  const apply = engine.apply.bind(engine);
  engine.apply = (command, now, random) => {
    if (command.kind === kind) count++;
    return apply(command, now, random);
  };
  return () => count;
}

describe('the inbox', () => {
  it('of more than a page is taken in one look after the other, without a pause', async () => {
    const { world, submission } = await start();
    for (let i = 0; i < 1_700; i++) await world.disk.putInbox(submission());
    await world.run(5_500);
    expect(world.disk.snapshot().inbox).toEqual([]);
    expect(world.disk.snapshot().runs).toHaveLength(1_700);
  });

  it('treats an entry as its kind says, whatever its text looks like', async () => {
    const { world, submission } = await start();
    await world.disk.putInbox(submission({ head: '{"word":{"kind":"cancelNested"}}' }));
    await world.run(6_000);
    expect(world.disk.snapshot().inbox).toEqual([]);
    expect(world.disk.snapshot().runs).toHaveLength(1);
  });

  it('hands an entry over once, however long its commit takes', async () => {
    let isSlow = false;
    const held: (() => void)[] = [];
    const { world, node, event, states } = await start({
      store: (disk) =>
        faulty(disk, (real) => ({
          append: async (commit) => {
            if (isSlow) await new Promise<void>((resolve) => held.push(resolve));
            return real.append(commit);
          },
        })),
    });
    await node.submitted(await node.spec('acme', 'pay'));
    const given = counted(node.engine, 'event');
    isSlow = true;
    await world.disk.putInbox(event('e1'));
    for (let look = 0; look < 20; look++) {
      node.loop.lookIntoInbox();
      await world.run(20);
    }
    expect(given()).toBe(1);
    isSlow = false;
    for (const resolve of held) resolve();
    await world.run(100);
    expect(states()).toEqual(['SUCCEEDED', 'PENDING', 'PENDING']);
    expect(world.disk.snapshot().inbox).toEqual([]);
  });

  it('brings a submission before an event of the same look, whatever the clocks say', async () => {
    const { world, submission, event, states } = await start();
    await world.disk.putInbox(event('e1', { atMs: world.nowMs - 5 }));
    await world.disk.putInbox(submission({ job: 'pay' }));
    await world.run(6_000);
    expect(states()).toEqual(['SUCCEEDED', 'PENDING', 'PENDING']);
  });

  it('gives an event to the next owner where the commit that heard it never was', async () => {
    let isGone = false;
    const { world, node, event } = await start({
      store: (disk) =>
        faulty(disk, (real) => ({
          append: (commit) => (isGone ? new Promise(() => {}) : real.append(commit)),
        })),
    });
    await node.submitted(await node.spec('acme', 'pay'));
    isGone = true;
    await world.disk.putInbox(event('e1'));
    node.loop.lookIntoInbox();
    await world.run(50);
    node.loop.halt();
    const next = await world.startNode({ name: 'node-b' });
    await world.run(20_000);
    const run = next.engine.core.books.get(0)?.runs.get(1);
    expect(run?.tasks.map(({ state }) => state)).toEqual(['SUCCEEDED', 'PENDING', 'PENDING']);
    expect(world.disk.snapshot().inbox).toEqual([]);
  });
});
