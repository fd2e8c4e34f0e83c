import { StoreError } from '@signalbox/store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiWorld } from './testing/api-world.ts';

interface Health {
  readonly status: string;
  readonly checks: Record<string, { ok: boolean; detail?: string }>;
}

describe('health and readiness', () => {
  let world: ApiWorld;
  beforeEach(async () => {
    world = await ApiWorld.start();
  });
  afterEach(() => world.stop());

  it('API-15 answers health and readiness without a key', async () => {
    const health = await world.ask('/health', { key: null });
    expect(health.status).toBe(200);
    expect(health.json<Health>().status).toBe('ok');
    const ready = await world.ask('/ready', { key: null });
    expect(ready.status).toBe(200);
    expect(Object.keys(ready.json<Health>().checks)).toEqual(['store', 'partitions', 'loop']);
  });

  it('API-15 is not ready while the store is away, names it, and stays alive', async () => {
    const away = new StoreError('unavailable', 'connect ECONNREFUSED db.internal:5432');
    vi.spyOn(world.node.context.store, 'readGroup').mockRejectedValue(away);
    const ready = await world.ask('/ready', { key: null });
    expect(ready.status).toBe(503);
    const { status, checks } = ready.json<Health>();
    expect(status).toBe('down');
    expect(checks['store']?.ok).toBe(false);
    expect(checks['partitions']?.ok).toBe(true);
    expect(ready.text).not.toContain('db.internal');
    expect((await world.ask('/health', { key: null })).status).toBe(200);
  });

  it('API-15 is not ready while the store does not answer at all', async () => {
    vi.spyOn(world.node.context.store, 'readGroup').mockReturnValue(new Promise(() => {}));
    const ready = await world.ask('/ready', { key: null });
    expect(ready.status).toBe(503);
    expect(ready.json<Health>().checks['store']?.detail).toContain('no response');
  });

  it('API-15 is not ready while it owns no partition, or assigns nothing', async () => {
    const { loop } = world.node.context;
    vi.spyOn(loop, 'owns').mockReturnValue(false);
    const disowned = await world.ask('/ready', { key: null });
    expect(disowned.status).toBe(503);
    expect(disowned.json<Health>().checks['partitions']?.ok).toBe(false);
    vi.restoreAllMocks();
    loop.engine.core.pauseFrom = 0;
    const paused = await world.ask('/ready', { key: null });
    expect(paused.status).toBe(503);
    expect(paused.json<Health>().checks['loop']?.ok).toBe(false);
  });

  it('answers HEAD for load balancers', async () => {
    const head = await world.ask('/health', { key: null, method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
  });
});
