import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from './routes.ts';
import { ApiWorld } from './testing/api-world.ts';

const folder = mkdtempSync(join(tmpdir(), 'cursors-'));
const store = `file:${join(folder, 'box.sqlite')}`;
let world: ApiWorld;

interface Page {
  readonly items: readonly unknown[];
  readonly next?: string;
}

beforeAll(async () => {
  world = await ApiWorld.start({ store });
  const large = { tasks: Array.from({ length: 1_100 }, (_, i) => ({ name: `t${i}` })) };
  for (const tenant of ['default', 'other']) {
    for (const name of ['a', 'b', 'c']) {
      for (const definition of [{}, { description: 'changed' }]) {
        await world.ask(`/jobs/${name}`, { method: 'PUT', body: definition, tenant });
      }
      await world.ask('/runs', { body: { job: 'a' }, tenant });
      const schedule = { job: 'a', every: '1h' };
      await world.ask('/schedules', { body: { name, definition: schedule }, tenant });
      await world.ask('/triggers', {
        body: { name, definition: { job: 'a', type: name } },
        tenant,
      });
      const days = { blackouts: ['2030-01-01'] };
      await world.ask(`/calendars/${name}`, { method: 'PUT', body: days, tenant });
      await world.ask('/keys', { body: { role: 'viewer' }, tenant });
    }
    await world.ask('/jobs/large', { method: 'PUT', body: large, tenant });
  }
  for (const name of ['t1', 't2']) {
    await world.ask(`/tenants/${name}`, { method: 'PUT', body: { weight: 1 } });
  }
});
afterAll(async () => {
  await world.stop();
  rmSync(folder, { recursive: true });
});

const get = (path: string, tenant = 'default') => world.ask(path, { tenant });
const page = async (path: string) => (await get(path)).json<Page>();
const INVALID = {
  code: 'bad_request',
  message: 'invalid cursor; use next of the previous page of the same list, with the same filter',
};

/** Every list that pages, with its cursor and another query of the same list. */
const lists: [string, 'after' | 'cursor', string][] = [
  ['/jobs', 'after', 'deleted=true'],
  ['/jobs/a/versions', 'after', ''],
  ['/jobs/a/runs', 'cursor', 'state=FAILED'],
  ['/schedules', 'after', 'deleted=true'],
  ['/triggers', 'after', 'deleted=true'],
  ['/calendars', 'after', ''],
  ['/runs', 'cursor', 'job=a'],
  ['/tasks', 'cursor', 'job=a'],
  ['/keys', 'after', ''],
  ['/audit', 'after', ''],
  ['/tenants', 'after', ''],
];

describe('a cursor', () => {
  it('belongs to every list that pages', () => {
    type Schema = { properties?: Record<string, unknown> };
    const paging = ROUTES.filter((route) =>
      Object.values(route.response).some((each) => {
        const { next, items, dryRun } = (each as Schema | null)?.properties ?? {};
        return next !== undefined && (items ?? dryRun) !== undefined;
      }),
    );
    const withoutPages = new Set(['/tasks/:id/attempts']);
    for (const { url, query, body } of paging.filter((each) => !withoutPages.has(each.url))) {
      const { cursor, after } = ((query ?? body) as Schema).properties ?? {};
      expect([url, cursor ?? after]).toEqual([url, expect.objectContaining({ maxLength: 512 })]);
    }
    expect(paging.length).toBeGreaterThanOrEqual(lists.length + 5);
  });

  it.each(lists)('of %s is signed, and bound to tenant and query', async (path, field, other) => {
    const { next = '' } = await page(`${path}?limit=1`);
    expect(next).not.toBe('');
    const second = await get(`${path}?limit=1&${field}=${next}`);
    expect(second.status).toBe(200);
    const changed = `${next.slice(0, -2)}${next.endsWith('AA') ? 'BB' : 'AA'}`;
    const elsewhere = path === '/runs' ? '/tasks?cursor=' : '/runs?cursor=';
    const refused = [
      await get(`${path}?${field}=${changed}`),
      await get(`${path}?${field}=b`),
      await get(`${path}?${field}=1`),
      await get(`${elsewhere}${next}`),
      ...(path === '/tenants' ? [] : [await get(`${path}?${field}=${next}`, 'other')]),
      ...(other === '' ? [] : [await get(`${path}?${other}&${field}=${next}`)]),
    ];
    for (const answer of refused) {
      expect(answer.status).toBe(400);
      expect(answer.error()).toMatchObject(INVALID);
    }
  });

  it('of a bulk change is bound to its filter and its action', async () => {
    const send = (action: string, body: object) => world.ask(`/runs/${action}`, { body });
    const filter = { job: 'a' };
    const first = (await send('cancel', { filter, limit: 1 })).json<Page>();
    const cursor = first.next as string;
    expect((await send('cancel', { filter, limit: 1, cursor })).status).toBe(200);
    for (const answer of [
      await send('cancel', { filter: { job: 'b' }, cursor }),
      await send('retry', { filter, cursor }),
      await send('cancel', { filter, cursor: 'x' }),
    ]) {
      expect(answer.error()).toMatchObject(INVALID);
    }
  });

  it('of the tasks of a run comes with the run, and is bound to it', async () => {
    const submit = async () =>
      (await world.ask('/runs', { body: { job: 'large' } })).json<{ id: string }>().id;
    const [id, another] = [await submit(), await submit()];
    const { nextTasks } = (await get(`/runs/${id}`)).json<{ nextTasks: string }>();
    const rest = await page(`/runs/${id}/tasks?cursor=${nextTasks}`);
    expect(rest.items).toHaveLength(100);
    for (const path of [
      `/runs/${another}/tasks?cursor=${nextTasks}`,
      `/runs/${id}/tasks?state=QUEUED&cursor=${nextTasks}`,
      `/runs/${id}/tasks?cursor=1000`,
    ]) {
      expect((await get(path)).error()).toMatchObject(INVALID);
    }
  });

  it('is valid after a restart', async () => {
    const { next } = await page('/jobs?limit=1');
    await world.stop();
    world = await ApiWorld.start({ store });
    const second = await page(`/jobs?limit=1&after=${next}`);
    expect(second.items).toMatchObject([{ name: 'b' }]);
  });
});
