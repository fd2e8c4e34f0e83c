import type { ScheduleDefinition, WindowHead } from '@signalbox/engine';
import { expect } from 'vitest';
import { VirtualWorld } from './virtual-world.ts';

export const MINUTE = 60_000;

export async function save(
  world: VirtualWorld,
  definition: Partial<ScheduleDefinition> & { name?: string; version?: number } = {},
): Promise<void> {
  const { name = 'minutely', version = 1, ...own } = definition;
  const when = { kind: 'interval', everyMs: MINUTE, anchorAt: world.nowMs } as const;
  const body = JSON.stringify({ job: 'job', when, ...own });
  const change = { tenant: 'acme', kind: 'schedule', name, author: 'ann', body };
  const result = await world.disk.putDefinition({ ...change, expectedVersion: version - 1 });
  expect(result).toEqual({ kind: 'written', version });
}

export async function setup(params: Parameters<VirtualWorld['startNode']>[0] = {}) {
  const world = new VirtualWorld();
  await world.define('acme', 'job');
  const node = await world.startNode(params);
  node.attach('w');
  node.finishEverything();
  return { world, node };
}

export async function windows(world: VirtualWorld): Promise<WindowHead[]> {
  const runs = await world.disk.listRuns({ tenant: 'acme', before: null, limit: 10_000 });
  return runs.map(({ run }) => JSON.parse(run.head).window as WindowHead).reverse();
}

/** Every minute from the first window on, none missing, none twice. */
export function expectGapless(found: readonly WindowHead[], count: number): void {
  const first = found[0]?.at ?? 0;
  expect(found.map(({ at }) => (at - first) / MINUTE)).toEqual(
    Array.from({ length: count }, (_, i) => i),
  );
}
