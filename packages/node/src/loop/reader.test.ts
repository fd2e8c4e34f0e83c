import type { RunId } from '@signalbox/engine';
import type { Store, StoredRun } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { readRun } from './index.ts';
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
