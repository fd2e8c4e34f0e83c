import { type Fact, type RunId, refOf } from '@signalbox/engine';
import type { Store, StoredRun } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { readRun } from './index.ts';
import { faulty } from './testing/faulty-store.ts';
import { VirtualWorld } from './testing/virtual-world.ts';

/** Memory holds two runs of a queue; the third waits in the store. */
const settings = { queueWindow: 2, pageSize: 2, classWindow: 1_000 };

async function startWithParked() {
  const world = new VirtualWorld();
  await world.define('acme', 'mail');
  const node = await world.startNode({ settings });
  const spec = await node.spec('acme', 'mail');
  let parked: RunId | null = null;
  for (let i = 0; i < 3; i++) {
    const answer = await node.submitted(spec);
    if (answer.kind !== 'accepted') throw new Error(answer.kind);
    parked = { ms: answer.ms, partition: answer.partition, seq: answer.seq };
  }
  return { world, node, id: parked as RunId };
}

/** Reads as ever, but answers a first question about a run only when told to. */
function slowReader(disk: Store): { store: Store; answerNow: () => void } {
  let answerNow = (): void => {};
  const told = new Promise<void>((resolve) => {
    answerNow = resolve;
  });
  const getRun = async (query: { tenant: string; id: RunId }): Promise<StoredRun | null> => {
    const found = await disk.getRun(query);
    await told;
    return found;
  };
  return { store: { ...disk, getRun }, answerNow };
}

describe('a reader whose question takes long', () => {
  it('I20 is told of the end, although the store had none when it was asked', async () => {
    const { world, node, id } = await startWithParked();
    const { store, answerNow } = slowReader(world.disk);
    const view = readRun({ loop: node.loop, store, tenant: 'acme', id });
    node.finishEverything();
    node.attach('w');
    await world.run(1_000);
    expect(world.disk.snapshot().ends).toHaveLength(3);
    answerNow();
    expect(await view).toMatchObject({ state: 'SUCCEEDED' });
  });

  it('is sent to the owner when the partition has been lost meanwhile', async () => {
    const { world, node, id } = await startWithParked();
    const { store, answerNow } = slowReader(world.disk);
    const view = readRun({ loop: node.loop, store, tenant: 'acme', id });
    node.loop.halt();
    await world.run(60_000);
    answerNow();
    expect(await view).toBe('not_owner');
  });

  it('is told that the run waits while it does', async () => {
    const { world, node, id } = await startWithParked();
    const { store, answerNow } = slowReader(world.disk);
    answerNow();
    const view = await readRun({ loop: node.loop, store, tenant: 'acme', id });
    expect(view).toMatchObject({ state: 'PENDING', parked: { state: 'QUEUED' } });
  });
});

it('readers of ends that are not durable yet look at each fact once, however many they are', async () => {
  const runs = 200;
  const world = new VirtualWorld();
  await world.define('acme', 'mail');
  let isHeld = false;
  const node = await world.startNode({
    store: (disk) =>
      faulty(disk, (real) => ({
        append: (commit) => (isHeld ? new Promise(() => {}) : real.append(commit)),
      })),
  });
  const spec = await node.spec('acme', 'mail');
  node.attach('w', runs);
  for (let i = 0; i < runs; i++) void node.submit(spec);
  await world.run(1_000);
  expect(node.assigned()).toHaveLength(runs);
  const { core } = node.engine;
  let looks = 0;
  let facts = 0;
  const emit = core.emit.bind(core);
  core.emit = (book, fact, run) => {
    facts++;
    const look = (target: Fact, name: string | symbol) => {
      looks++;
      return Reflect.get(target, name) as unknown;
    };
    emit(book, new Proxy<Fact>(fact, { get: look }), run);
  };
  // One group is on its way and stays there, others gather behind it.
  isHeld = true;
  for (const { worker, attempt } of node.assigned()) {
    const result = { kind: 'succeeded', output: null } as const;
    node.loop.report({ kind: 'finish', worker, ref: refOf(attempt), result });
    if (attempt.task.run.seq % 50 === 0) await world.run(1);
  }
  await world.run(20);
  const ask = () => Array.from({ length: runs }, (_, i) => node.loop.endingGroup(0, i + 1));
  looks = 0;
  expect(ask().every((group) => group !== null)).toBe(true);
  // Of each fact its kind, and of an end its run.
  expect(looks).toBeLessThanOrEqual(2 * facts);
  looks = 0;
  ask();
  expect(looks).toBe(0);
});
