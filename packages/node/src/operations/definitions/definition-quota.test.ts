import { PLATFORM } from '@signalbox/protocol';
import type { Store } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { describe, expect, it } from 'vitest';
import { createDatabase, describePostgres } from '../../../../../tools/testing/postgres.ts';
import { ApiWorld } from '../../api/testing/api-world.ts';
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
      return withinQuota(store, OF, (countMax) =>
        store.putDefinition({ ...change, ...(countMax === undefined ? {} : { countMax }) }),
      );
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

  it('is exact for three nodes that create at the same time', async () => {
    const disk = await diskWithQuota(20);
    const nodes = [nodeOver(disk), nodeOver(disk), nodeOver(disk)];
    expect(await createMany(nodes, 90)).toBe(20);
    expect(await disk.countDefinitions(OF)).toBe(20);
  });

  it('above 10,000 is counted for every creation only in its last tenth', async () => {
    const disk = await diskWithQuota(10_010);
    const limits: (number | undefined)[] = [];
    let count = 9_008;
    const store = { ...nodeOver(disk), countDefinitions: async () => count } as Store;
    for (let i = 0; i < 3; i++) {
      await withinQuota(store, OF, async (countMax) => {
        limits.push(countMax);
        return { kind: 'written', version: 1 };
      });
      count += 1;
    }
    expect(limits).toEqual([undefined, 10_010, 10_010]);
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

describePostgres('a quota on three nodes over PostgreSQL', () => {
  it('is exact where all of them create at the same time', async () => {
    const store = await createDatabase();
    const nodes = await Promise.all([1, 2, 3].map(() => ApiWorld.start({ store, partitions: 3 })));
    try {
      const [first] = nodes as [ApiWorld];
      await first.ask('/tenants/default', { method: 'PUT', body: { maxJobs: 5 } });
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          (nodes[i % 3] as ApiWorld).ask('/jobs', { body: { name: `j${i}`, definition: {} } }),
        ),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array(5).fill(201), ...Array(25).fill(409)]);
      const { items } = (await first.ask('/jobs')).json<{ items: unknown[] }>();
      expect(items).toHaveLength(5);
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
    }
  }, 60_000);
});
