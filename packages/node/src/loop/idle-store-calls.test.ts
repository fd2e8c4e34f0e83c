import type { Store } from '@signalbox/store';
import { expect, it } from 'vitest';
import { VirtualWorld } from './testing/virtual-world.ts';

const PARTITIONS = 16;
const MINUTES = 5;

it('MSG-09 a node that waits asks the store a tenth as often as a poll of every partition each second, and starts nothing late', async () => {
  const world = new VirtualWorld();
  await world.define('acme', 'mail');
  let calls = 0;
  const node = await world.startNode({
    loop: { partitions: PARTITIONS },
    store: (disk) =>
      new Proxy(disk as Store, {
        get: (target, name: keyof Store) => {
          const method = target[name] as (argument: unknown) => unknown;
          return (argument: unknown) => {
            calls++;
            return method.call(target, argument);
          };
        },
      }),
  });
  node.attach('w', 1_000);
  node.beating('w');
  node.finishEverything();
  const spec = await node.spec('acme', 'mail');
  // One in each minute, at no round time.
  const due = Array.from({ length: MINUTES }, (_, i) => world.nowMs + i * 60_000 + 31_417);
  for (const dueAt of due) await node.submitted(spec, { dueAt });
  const startedAt: number[] = [];
  const finish = node.onEffect;
  node.onEffect = (effect) => {
    if (effect.kind === 'assign') startedAt.push(world.nowMs);
    finish(effect);
  };
  calls = 0;
  await world.run(MINUTES * 60_000);
  expect(calls).toBeGreaterThan(0);
  expect(calls).toBeLessThanOrEqual((PARTITIONS * MINUTES * 60) / 10);
  expect(startedAt).toHaveLength(MINUTES);
  for (const [i, at] of startedAt.entries()) {
    expect(at - (due[i] ?? 0)).toBeGreaterThanOrEqual(0);
    expect(at - (due[i] ?? 0)).toBeLessThanOrEqual(10);
  }
});
