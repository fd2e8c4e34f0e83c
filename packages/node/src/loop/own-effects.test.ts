import { describe, expect, it, vi } from 'vitest';
import { VirtualNode, VirtualWorld } from './testing/virtual-world.ts';

describe('what a node does by itself', () => {
  it('a nested run is started after a take-over also while the lease is not trusted', async () => {
    const world = new VirtualWorld();
    await world.define('acme', 'outer', { tasks: [{ name: 'inner', run: { job: 'mail' } }] });
    const first = await world.startNode();
    await first.submitted(await first.spec('acme', 'outer'));
    expect(first.released.map(({ kind }) => kind)).toEqual(['startRun']);
    first.loop.halt();
    const next = new VirtualNode(world, { name: 'node-b' });
    vi.spyOn(next.loop.leases, 'isTrusted').mockReturnValue(false);
    void next.loop.start();
    await world.run(20_000);
    expect(next.released.map(({ kind }) => kind)).toContain('startRun');
  });
});
