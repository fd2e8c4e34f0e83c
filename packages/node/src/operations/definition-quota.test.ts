import { PLATFORM } from '@signalbox/protocol';
import type { Store } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { describe, expect, it } from 'vitest';
import { ApiWorld } from '../api/testing/api-world.ts';
import { withinQuota } from './definition-quota.ts';

/** A node of its own over the same data. */
function nodeOver(store: Store): Store {
  return {
    getDefinition: (query: never) => store.getDefinition(query),
    putDefinition: (change: never) => store.putDefinition(change),
    countDefinitions: (query: never) => store.countDefinitions(query),
  } as unknown as Store;
}

const OF = { tenant: 'acme', kind: 'schedule' } as const;

async function createMany(nodes: readonly Store[], count: number): Promise<number> {
  const results = await Promise.allSettled(
    Array.from({ length: count }, (_, i) => {
      const store = nodes[i % nodes.length] as Store;
      const change = { ...OF, name: `s${i}`, expectedVersion: 0, body: '{}', author: 'ann' };
      return withinQuota(store, OF, () => store.putDefinition(change));
    }),
  );
  return results.filter(({ status }) => status === 'fulfilled').length;
}

async function diskWithQuota(maxSchedules: number) {
  const disk = createMemoryStore({ now: () => 0 });
  const tenant = { tenant: PLATFORM, kind: 'tenant', name: 'acme' };
  const body = JSON.stringify({ maxSchedules });
  await disk.putDefinition({ ...tenant, expectedVersion: 0, body, author: 'root' });
  return disk;
}

describe('a quota', () => {
  it('is exact on one node, also for requests at the same time', async () => {
    const disk = await diskWithQuota(20);
    expect(await createMany([nodeOver(disk)], 60)).toBe(20);
    expect(await disk.countDefinitions(OF)).toBe(20);
  });

  it('is exceeded by at most one definition for each further node', async () => {
    const disk = await diskWithQuota(20);
    const nodes = [nodeOver(disk), nodeOver(disk), nodeOver(disk)];
    await createMany(nodes, 90);
    const count = await disk.countDefinitions(OF);
    expect(count).toBeGreaterThanOrEqual(20);
    expect(count).toBeLessThanOrEqual(22);
  });

  it('of the API refuses a further job, schedule and trigger, and leaves others alone', async () => {
    const world = await ApiWorld.start();
    try {
      const definitions = {
        jobs: {},
        schedules: { job: 'a', every: '1h' },
        triggers: { job: 'a', type: 'push' },
      };
      const quotas = { maxJobs: 2, maxSchedules: 2, maxTriggers: 2 };
      const limited = await world.ask('/tenants/default', { method: 'PUT', body: quotas });
      expect(limited.json()).toMatchObject({ definition: quotas });
      const put = (path: string, body: object, tenant = 'default') =>
        world.ask(`/${path}`, { method: 'PUT', body, tenant });
      for (const [kind, definition] of Object.entries(definitions)) {
        for (const name of ['a', 'b']) {
          expect((await put(`${kind}/${name}`, definition)).status).toBeLessThan(300);
        }
        const refused = [
          await put(`${kind}/c`, definition),
          await world.ask(`/${kind}`, { body: { name: 'c', definition } }),
        ];
        for (const answer of refused) {
          expect([kind, answer.status, answer.error().code]).toEqual([kind, 409, 'quota_exceeded']);
          expect(answer.error().message).toContain(`the tenant has 2 of at most 2 ${kind}`);
        }
        // A change is no creation, and a deletion makes room.
        expect((await put(`${kind}/b`, { ...definition, priority: 9 })).status).toBe(200);
        await world.ask(`/${kind}/b`, { method: 'DELETE' });
        expect((await put(`${kind}/c`, definition)).status).toBeLessThan(300);
        expect((await put(`${kind}/b`, definition)).error().code).toBe('quota_exceeded');
        if (kind === 'jobs') await put(`${kind}/a`, definition, 'other');
        for (const name of ['a', 'b', 'c']) {
          expect((await put(`${kind}/${name}`, definition, 'other')).status).toBeLessThan(300);
        }
      }
    } finally {
      await world.stop();
    }
  });
});
