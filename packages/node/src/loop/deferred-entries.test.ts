import type { InboxEntry, Store } from '@signalbox/store';
import { expect, it } from 'vitest';
import { packEvents } from './inbox-events.ts';
import { faulty } from './testing/faulty-store.ts';
import { VirtualWorld } from './testing/virtual-world.ts';

const WAITS = {
  tasks: [
    { name: 'first', event: { type: 'paid' } },
    { name: 'then', after: ['first'] },
  ],
};

it('I1 K1 an event in the inbox is heard by the submission before it, also where that has to wait', async () => {
  const world = new VirtualWorld();
  await world.define('acme', 'mail');
  await world.define('acme', 'pay', WAITS);
  let open = (): void => {};
  let closed: Promise<void> | null = null;
  const store = (disk: Store): Store =>
    faulty(disk, (real) => ({
      append: async (commit) => {
        await closed;
        return real.append(commit);
      },
    }));
  const node = await world.startNode({ store, settings: { keysKept: 1 } });
  const mail = await node.spec('acme', 'mail');
  const old = await node.submitted(mail, { key: 'order-1' });
  await node.submitted(mail, { key: 'order-2' });
  closed = new Promise((resolve) => {
    open = resolve;
  });
  // Its key is another run's: for as long as nobody knows, it is the live run with the value.
  const again = node.submit(await node.spec('acme', 'pay'), { key: 'order-1', unique: 'u' });
  await world.run(10);
  const base = { partition: 0, tenant: 'acme', atMs: world.nowMs };
  const submission: InboxEntry = {
    ...base,
    kind: 'submission',
    id: '01a1e15e-5d89-7000-a000-000000000001',
    job: 'pay',
    class: 1,
    head: JSON.stringify({ unique: 'u' }),
    input: null,
    key: null,
  };
  const event = new TextEncoder().encode('"paid"');
  await world.disk.putInbox(submission);
  await world.disk.putInbox({
    ...base,
    ...packEvents([{ type: 'paid', key: 'e', event }]),
    id: '01a1e15e-5d89-7000-a000-000000000002',
  });
  node.loop.lookIntoInbox();
  await world.run(100);
  open();
  closed = null;
  await world.run(10_000);
  expect(await again).toEqual({ ...old, kind: 'duplicate' });
  expect(world.disk.snapshot().inbox).toEqual([]);
  const runs = [...(node.engine.core.books.get(0)?.runs.values() ?? [])];
  const [paid] = runs.filter(({ spec }) => spec.job === 'pay');
  expect(paid?.tasks.map(({ state }) => state)).toEqual(['SUCCEEDED', 'QUEUED']);
});
