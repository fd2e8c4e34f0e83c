import { partitionOf } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import { VirtualWorld } from './testing/virtual-world.ts';

const HOUR = 3_600_000;
const PARTITIONS = 4;

describe('checkpoints', () => {
  it('DUR-10 come after some hours where little happens, so that groups can be dropped', async () => {
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

  it('DUR-10 of an idle partition are right also while another one is always busy', async () => {
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
});
