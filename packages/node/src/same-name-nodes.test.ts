import type { RunView } from '@signalbox/protocol';
import { createMemoryStore } from '@signalbox/store/memory';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { connectInProcess } from './gateway/in-process.ts';
import { defineJob, getRun, listRuns, saveSchedule, submitRuns } from './operations/index.ts';
import { caller } from './operations/testing/small-node.ts';
import { type RunningNode, startNodeOn } from './start-node.ts';

const RESOURCES = { cpuMilli: 1_000, memoryMb: 1_000, gpu: 0, diskMb: 1_000, slots: 1 };
const NONE = { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 0 };

/** A worker that accepts what it gets and holds it. */
async function holdOn({ gateway }: RunningNode): Promise<{ accepted: Promise<void> }> {
  const accepted = Promise.withResolvers<void>();
  const link = await connectInProcess(gateway).connect({
    received: (frames) => {
      for (const frame of frames) {
        if (frame.kind !== 'assign') continue;
        link.send([{ kind: 'accept', refs: [frame.ref] }]);
        accepted.resolve();
      }
    },
    closed: () => {},
  });
  const hello = { protocol: 1, worker: 'w', instance: 'i', zone: 'z', labels: {} } as const;
  const executors = ['handler:held'];
  const about = { total: RESOURCES, foreignUse: NONE, holds: [] };
  link.send([{ kind: 'hello', ...hello, executors, ...about }]);
  const beat = setInterval(() => {
    link.send([{ kind: 'beat', foreignUse: NONE, progress: [] }]);
  }, 1_000);
  beat.unref();
  return { accepted: accepted.promise };
}

it('U006 U026 three nodes of one name are three owners: a window fires once, and a live run is not taken over', async () => {
  const store = createMemoryStore({ now: () => Date.now() });
  const log = pino({ level: 'silent' });
  const options = { store: 'memory:', name: 'same', http: false, partitions: 4, log } as const;
  const nodes = [await startNodeOn(store, options)];
  const [first] = nodes as [RunningNode];
  await first.ready();
  const { context } = first;
  await defineJob(context, caller(), { name: 'held', definition: {} });
  await defineJob(context, caller(), { name: 'beat', definition: {} });
  const { accepted } = await holdOn(first);
  const [run] = await submitRuns(context, caller(), { items: [{ job: 'held' }] });
  await accepted;
  const definition = { job: 'beat', every: '1s' };
  await saveSchedule(context, caller(), { name: 'beat', definition });
  for (let i = 0; i < 2; i++) nodes.push(await startNodeOn(store, options));

  let fired: readonly RunView[] = [];
  while (fired.length < 5) {
    fired = (await listRuns(context, caller(), { job: 'beat', limit: 100 })).items;
    await new Promise(setImmediate);
  }
  const windows = fired.map(({ window }) => window?.at);
  expect(new Set(windows).size).toBe(windows.length);
  const leases = await store.listLeases();
  expect(leases).toHaveLength(4);
  // Never the name that they share: what owns a partition is made up with every start.
  for (const { owner } of leases) expect(owner).not.toBe('same');
  const owned = nodes.map(({ context: { loop } }) =>
    [0, 1, 2, 3].filter((partition) => loop.owns(partition)),
  );
  expect(owned.flat().sort()).toEqual([0, 1, 2, 3]);
  const held = await getRun(context, caller(), { id: (run as { id: string }).id });
  expect(held.tasks[0]).toMatchObject({ state: 'RUNNING' });
  expect(held.tasks[0]?.attempts).toHaveLength(1);

  // A restart under the same name is another owner too.
  await Promise.all(nodes.map((node) => node.stop()));
  const again = await startNodeOn(store, options);
  await again.ready();
  const before = new Set(leases.map(({ owner }) => owner));
  for (const { owner } of await store.listLeases()) expect(before.has(owner)).toBe(false);
  await again.stop();
}, 60_000);
