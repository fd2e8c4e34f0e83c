import { createMemoryStore } from '@signalbox/store/memory';
import { describe, expect, it, vi } from 'vitest';
import { startNode } from '../../start-node.ts';
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
    await watch.poll();
    expect(weight()).toBe(5);

    const execute = vi.spyOn(loop, 'execute');
    await watch.poll();
    expect(execute).not.toHaveBeenCalled();

    await store.deleteDefinition({ ...at, expectedVersion: 1 });
    await watch.poll();
    expect(weight()).toBe(1);
    await node.stop();
  });

  it('one that cannot be applied is logged once and keeps none of the others', async () => {
    const store = createMemoryStore({ now: Date.now });
    const at = { tenant: '*', kind: 'tenant', author: 'root', expectedVersion: 0 };
    await store.putDefinition({ ...at, name: 'a-bad', body: '{"weight":0.0001}' });
    await store.putDefinition({ ...at, name: 'b-bad', body: 'not JSON' });
    await store.putDefinition({ ...at, name: 'good', body: '{"weight":5}' });
    const node = await startNode({ store: 'memory:', http: false });
    const { loop, log } = node.context;
    const error = vi.spyOn(log, 'error');
    const watch = new TenantWatch({ store, loop, log });
    await watch.poll();
    expect(loop.engine.core.ofTenant('good', 1).weight).toBe(5);
    expect(loop.engine.core.ofTenant('a-bad', 1).weight).toBe(1);
    await watch.poll();
    expect(error).toHaveBeenCalledTimes(2);
    await node.stop();
  });
});
