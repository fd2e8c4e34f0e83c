import { describe, expect, it } from 'vitest';
import { Stage, statesOf } from './stage.ts';

describe('due times beyond the horizon', () => {
  it('one that is on its way to the store is not passed over by the reading of a later one', async () => {
    let isSlow = false;
    const stage = await Stage.set(
      { nodes: 1, partitions: 1, engine: { horizonMs: 20_000 } },
      {
        door: (store, world, node) => ({
          ...store,
          append: async (commit) => {
            if (isSlow) {
              await new Promise<void>((resolve) => {
                world.clockwork.after(4_000, node.actor, resolve);
              });
            }
            return store.append(commit);
          },
        }),
      },
    );
    const { clients, disk } = stage.world;
    const startMs = disk.nowMs;
    clients.submitters.submit('t0', 'quick', startMs + 26_000);
    await stage.pass(5_000);
    isSlow = true;
    // Parked as well, and sorted before the first: the lane is read while its commit hangs.
    clients.submitters.submit('t0', 'quick', startMs + 25_600);
    await stage.pass(8_000);
    isSlow = false;
    await stage.pass(30_000);
    const { evidence, violations } = await stage.finish();
    expect(violations).toEqual([]);
    expect(statesOf(evidence)).toEqual({ SUCCEEDED: 2 });
    expect(evidence.runs.map(({ run }) => run.head.includes('"lane":"due"'))).toEqual([true, true]);
  });
});
