import { createMemoryStore } from '@signalbox/store/memory';
import { describe, expect, it, vi } from 'vitest';
import { startNode } from '../start-node.ts';
import { TenantWatch } from './tenant-watch.ts';

describe('tenants on several nodes', () => {
  it('a change through another node reaches the loop, and is told once', async () => {
    const node = await startNode({ store: 'memory:', http: false });
    const { loop, log } = node.context;
    const store = createMemoryStore({ now: Date.now });
    const watch = new TenantWatch({ store, loop, log });
    const at = { tenant: '*', kind: 'tenant', name: 'acme', author: 'root' };
    const weight = () => loop.engine.core.ofTenant('acme', 1).weight;

    await store.putDefinition({ ...at, expectedVersion: 0, body: '{"weight":5}' });
    await watch.look();
    expect(weight()).toBe(5);

    const execute = vi.spyOn(loop, 'execute');
    await watch.look();
    expect(execute).not.toHaveBeenCalled();

    await store.deleteDefinition({ ...at, expectedVersion: 1 });
    await watch.look();
    expect(weight()).toBe(1);
    await node.stop();
  });
});
