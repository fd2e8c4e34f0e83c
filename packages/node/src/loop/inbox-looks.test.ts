import type { Engine } from '@signalbox/engine';
import type { InboxEntry, Store } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { Inbox } from './inbox.ts';
import type { LoopPorts } from './ports.ts';
import type { Specs } from './specs.ts';

/** An inbox whose time passes when it is told to. */
function setup() {
  const world = { alone: true, partitions: [1], entries: [] as InboxEntry[], looks: 0 };
  let due: (() => void) | null = null;
  const inbox = new Inbox({
    store: {
      readInbox: async () => {
        world.looks++;
        return world.entries;
      },
    } as unknown as Store,
    ports: {
      after: (_ms: number, then: () => void) => {
        due = then;
        return () => {};
      },
    } as unknown as LoopPorts,
    engine: {} as Engine,
    specs: { last: async () => null } as unknown as Specs,
    pollMs: 5_000,
    livePartitions: () => world.partitions,
    isAlone: () => world.alone,
    deliver: () => {},
    storeFailed: (error) => {
      throw error;
    },
  });
  inbox.start();
  const pass = async (polls: number): Promise<number> => {
    const before = world.looks;
    for (let i = 0; i < polls; i++) {
      due?.();
      await new Promise(setImmediate);
    }
    return world.looks - before;
  };
  return { world, pass };
}

describe('looks into the inbox', () => {
  it('are seldom where no other node could put anything, and nothing was there', async () => {
    const { world, pass } = setup();
    await pass(1);
    expect(await pass(12)).toBe(2);
    world.alone = false;
    expect(await pass(12)).toBe(12);
  });

  it('go on while something is there, which may have been refused', async () => {
    const { world, pass } = setup();
    const kind = 'submission';
    world.entries = [
      { id: 'e', partition: 1, kind, tenant: 't', job: 'j', head: '' } as InboxEntry,
    ];
    await pass(1);
    expect(await pass(12)).toBe(12);
  });

  it('are taken at once for a partition that has come', async () => {
    const { world, pass } = setup();
    await pass(2);
    world.partitions = [1, 2];
    expect(await pass(1)).toBe(1);
  });
});
