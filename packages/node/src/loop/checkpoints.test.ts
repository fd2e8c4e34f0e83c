import { partitionOf } from '@signalbox/engine';
import { StoreError } from '@signalbox/store';
import { describe, expect, it } from 'vitest';
import { faulty } from './testing/faulty-store.ts';
import { VirtualWorld } from './testing/virtual-world.ts';

const HOUR = 3_600_000;
const PARTITIONS = 4;

describe('checkpoints', () => {
  it('come after some hours where little happens, so that groups can be dropped', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    const node = await world.startNode({ loop: { partitions: PARTITIONS } });
    await node.submitted(await node.spec('acme', 'mail'));
    const used = partitionOf('acme', 'mail', PARTITIONS);
    await world.run(30 * HOUR);
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const checkpoint = await world.disk.readCheckpoint(partition);
      expect(checkpoint?.seq).toBe(partition === used ? 2 : 1);
    }
    expect(await world.disk.dropGroupsBefore({ beforeMs: world.nowMs - 20 * HOUR })).toBe(1);
    node.loop.halt();

    const next = await world.startNode({ name: 'node-b', loop: { partitions: PARTITIONS } });
    await world.run(10_000);
    expect(next.fatal).toEqual([]);
    expect(next.engine.core.books.get(used)?.runs.size).toBe(1);
  });

  it('of an idle partition are right also while another one is always busy', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    await world.define('acme', 'idle');
    const partitions = 64;
    const node = await world.startNode({ loop: { partitions } });
    const [mail, idle] = ['mail', 'idle'].map((job) => partitionOf('acme', job, partitions));
    expect(mail).not.toBe(idle);
    const spec = await node.spec('acme', 'mail');
    await node.submitted(await node.spec('acme', 'idle'));
    const submit = (): void => {
      void node.submit(spec);
      world.after(20 * 60_000, submit);
    };
    submit();
    await world.run(7 * HOUR);
    const checkpoint = await world.disk.readCheckpoint(idle as number);
    expect(checkpoint?.seq).toBe(2);
    node.loop.halt();
    const next = await world.startNode({ name: 'node-b', loop: { partitions } });
    await world.run(10_000);
    expect(next.engine.core.books.get(idle as number)?.runs.size).toBe(1);
    const live = next.engine.core.books.get(mail as number)?.runs.size;
    expect(live).toBe(node.engine.core.books.get(mail as number)?.runs.size);
  });

  it.each(['unavailable', 'invalid'] as const)(
    'that could not be written because the store is %s are taken again soon, not after twice the tail',
    async (kind) => {
      const world = new VirtualWorld();
      await world.define('acme', 'mail');
      let failures = 1;
      let tries = 0;
      const node = await world.startNode({
        loop: { checkpointBytes: 4_000 },
        store: (real) =>
          faulty(real, () => ({
            writeCheckpoint: async (checkpoint) => {
              tries++;
              if (failures-- > 0) throw new StoreError(kind, 'not now');
              return real.writeCheckpoint(checkpoint);
            },
          })),
      });
      const spec = await node.spec('acme', 'mail');
      let submitted = 0;
      for (; submitted < 200 && tries === 0; submitted++) await node.submitted(spec);
      expect(tries).toBe(1);
      await world.run(60_000);
      await node.submitted(spec);
      await world.run(10);
      expect(tries).toBe(2);
      expect((await world.disk.readCheckpoint(0))?.seq).toBeGreaterThan(submitted);
    },
  );

  it('that the store keeps refusing are not encoded again with every commit', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'mail');
    let tries = 0;
    const node = await world.startNode({
      loop: { checkpointBytes: 400 },
      store: (real) =>
        faulty(real, () => ({
          writeCheckpoint: async () => {
            tries++;
            throw new StoreError('unavailable', 'not now');
          },
        })),
    });
    const spec = await node.spec('acme', 'mail');
    for (let i = 0; i < 100; i++) await node.submitted(spec);
    expect(tries).toBeGreaterThan(0);
    expect(tries).toBeLessThan(10);
  });
});
