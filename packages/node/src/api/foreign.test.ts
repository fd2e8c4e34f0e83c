import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { ApiWorld } from './testing/api-world.ts';

const A = 'tenant-a';
const B = 'tenant-b';

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** By first word of the address: an id that tenant A really has, and one that nobody has. */
const ids = new Map<string, { readonly real: string; readonly absent: string }>();
let world: ApiWorld;
let adminOfB: string;

beforeAll(async () => {
  world = await ApiWorld.start();
  adminOfB = await world.makeKey('admin', B);
  const job = { name: 'nightly', definition: {} };
  expect((await world.ask('/jobs', { body: job, tenant: A })).status).toBe(201);
  const submitted = await world.ask('/runs', { body: { job: 'nightly', input: 1 }, tenant: A });
  expect(submitted.status).toBe(201);
  const { id } = submitted.json<{ id: string }>();
  const other = await world.ask('/runs', { body: { job: 'nightly' }, tenant: A });
  await world.ask('/tenants/tenant-a', { method: 'PUT', body: { weight: 2 } });
  const made = await world.ask('/keys', { body: { role: 'viewer' }, tenant: A });
  const blob = await world.ask('/blobs', { method: 'PUT', raw: 'secret of A', tenant: A });
  // An id of the right form and of a run that is not there: the real one with other random bits.
  const lost = `${other.json<{ id: string }>().id.slice(0, -4)}ffff`;
  const schedule = { name: 'nightly', definition: { job: 'nightly', cron: '0 2 * * *' } };
  expect((await world.ask('/schedules', { body: schedule, tenant: A })).status).toBe(201);
  const trigger = {
    name: 'nightly',
    definition: { job: 'nightly', type: 'x', source: '/nightly' },
  };
  expect((await world.ask('/triggers', { body: trigger, tenant: A })).status).toBe(201);
  ids.set('triggers', { real: 'nightly', absent: 'absent' });
  const closed = { method: 'PUT', body: { blackouts: ['12-25'] }, tenant: A } as const;
  expect((await world.ask('/calendars/nightly', closed)).status).toBe(200);
  ids.set('calendars', { real: 'nightly', absent: 'absent' });
  const secret = { method: 'PUT', body: { value: 'of A' }, tenant: A } as const;
  expect((await world.ask('/secrets/nightly', secret)).status).toBe(201);
  ids.set('secrets', { real: 'nightly', absent: 'absent' });
  ids.set('schedules', { real: 'nightly', absent: 'absent' });
  ids.set('jobs', { real: 'nightly', absent: 'absent' });
  ids.set('runs', { real: id, absent: lost });
  const task = await world.ask(`/runs/${id}/tasks`, { tenant: A });
  const real = task.json<{ items: { id: string }[] }>().items[0]?.id as string;
  expect((await world.ask(`/tasks/${real}`, { tenant: A })).status).toBe(200);
  ids.set('tasks', { real, absent: real.replace(id, lost) });
  ids.set('keys', { real: made.json<{ id: string }>().id, absent: '0123456789abcdef' });
  ids.set('tenants', { real: A, absent: 'absent' });
  ids.set('blobs', { real: blob.json<{ name: string }>().name, absent: 'f'.repeat(64) });
});
afterAll(() => world.stop());

const ofTenant = ROUTES.filter(
  (route) =>
    /:\w+/.test(route.url) &&
    route.platform !== true &&
    // There the tenant is in the address, and a signature is asked for.
    route.role !== 'signed' &&
    !route.url.startsWith('/workers'),
).map((route) => [`${route.method} ${route.url}`, route] as const);

/** Bodies that are valid, so that only the id decides. */
function bodyOf(route: Route): object {
  if (route.url.endsWith('/priority')) return { priority: 'P0' };
  if (route.url.endsWith('/backfill'))
    return { from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };
  if (route.url.endsWith('/approval')) return { decision: 'approve' };
  if (route.url.endsWith('/event')) return { event: {} };
  if (/^\/triggers\/:trigger(\/check)?$/.test(route.url)) return { job: 'nowhere', type: 'x' };
  if (/^\/schedules\/:schedule(\/check)?$/.test(route.url))
    return { job: 'nowhere', cron: '0 2 * * *' };
  return {};
}

async function answerFor(route: Route, id: string, key: string): Promise<[number, string]> {
  let count = 0;
  const path = route.url.replaceAll(/:\w+/g, () => (count++ === 0 ? id : '1'));
  const hasBody = route.method !== 'GET' && route.method !== 'DELETE';
  const { status, text } = await world.ask(path, {
    method: route.method,
    key,
    ...(hasBody ? { body: bodyOf(route) } : {}),
  });
  return [
    status,
    text
      .replaceAll(/"requestId":"[^"]*"/g, '')
      .replaceAll(id, '<id>')
      .replaceAll(UUID, '<id>'),
  ];
}

describe("another tenant's ids", () => {
  it.each(ofTenant)('SEC-02 U102 h11 %s answers them like absent ones', async (_name, route) => {
    // What is put under a name that another tenant has too is one's own.
    const isOwn = /^\/(jobs\/:job|calendars\/:calendar|secrets\/:secret)$/.test(route.url);
    if (route.method === 'PUT' && isOwn) return;
    const pair = ids.get(route.url.split('/')[1] as string);
    expect(pair).toBeDefined();
    if (pair === undefined) return;
    const foreign = await answerFor(route, pair.real, adminOfB);
    const absent = await answerFor(route, pair.absent, adminOfB);
    expect(foreign).toEqual(absent);
    // A list of something that is not there may be empty instead, and what is defined would be new.
    const nothing = route.url.endsWith('/check')
      ? { outcome: 'created', version: 0, after: {} }
      : { items: [] };
    if (foreign[0] === 200) expect(JSON.parse(foreign[1])).toEqual(nothing);
    else expect(foreign[0]).toBe(404);
  });

  it('SEC-02 U102 I19 are in no list and no count', async () => {
    const own = [
      '/jobs',
      '/schedules',
      '/triggers',
      '/calendars',
      '/secrets',
      '/runs',
      '/tasks',
      '/keys',
      '/audit',
    ];
    const answered: string[] = [];
    for (const { method, url } of ROUTES) {
      // A stream has no end; what it sends to other tenants is tested with it.
      if (method !== 'GET' || url.includes(':') || url === '/events') continue;
      const { status, text } = await world.ask(url, { key: adminOfB });
      if (status === 200) answered.push(url);
      else expect([400, 403, 404, 422], `${url} ${text}`).toContain(status);
      expect(text, url).not.toContain('nightly');
      expect(text, url).not.toContain(A);
    }
    expect(answered).toEqual(expect.arrayContaining([...own, '/queues']));
  });

  it('h13 SEC-02 a batch with one job of another tenant is refused as a whole', async () => {
    await world.ask('/jobs', { body: { name: 'own', definition: {} }, key: adminOfB });
    const items = [...Array.from({ length: 99 }, () => ({ job: 'own' })), { job: 'nightly' }];
    const { status } = await world.ask('/runs/batch', { body: { items }, key: adminOfB });
    expect([404, 422]).toContain(status);
    const runs = await world.ask('/runs', { key: adminOfB });
    expect(runs.json<{ items: unknown[] }>().items).toEqual([]);
  });

  it('SEC-02 what belongs to A is still there, and unchanged, after all of that', async () => {
    const job = await world.ask('/jobs/nightly', { tenant: A });
    expect(job.json()).toMatchObject({ version: 1, state: 'active' });
    const calendar = await world.ask('/calendars/nightly', { tenant: A });
    expect(calendar.json()).toMatchObject({ version: 1, days: { blackouts: ['12-25'] } });
    const { real } = ids.get('runs') as { real: string };
    expect((await world.ask(`/runs/${real}`, { tenant: A })).json()).toMatchObject({
      state: 'PENDING',
      priority: 'P1',
    });
  });
});

describe("another tenant's run, whatever its state", () => {
  const cases = ['PENDING', 'waits for an approval', 'waits for an event', 'CANCELLED'] as const;
  const routes = ofTenant.filter(([, { url }]) => /^\/(runs|tasks)\/:/.test(url));

  async function runIn(state: (typeof cases)[number]): Promise<string> {
    const waits = {
      'waits for an approval': { approval: { message: 'go?' } },
      'waits for an event': { event: { type: 'paid' } },
    } as Partial<Record<string, object>>;
    const tasks = [{ name: 'gate', ...waits[state] }];
    const name = `foreign-${cases.indexOf(state)}`;
    const made = await world.ask('/jobs', { body: { name, definition: { tasks } }, tenant: A });
    expect(made.text).toContain(name);
    const submitted = await world.ask('/runs', { body: { job: name }, tenant: A });
    const { id } = submitted.json<{ id: string }>();
    if (state === 'CANCELLED')
      expect((await world.ask(`/runs/${id}/cancel`, { body: {}, tenant: A })).status).toBe(200);
    return id;
  }

  it.each(cases)('SEC-02 %s: every operation answers as for an absent run', async (state) => {
    const real = await runIn(state);
    const absent = `${real.slice(0, -4)}ffff`;
    const bodies = (route: Route): readonly object[] =>
      route.url.endsWith('/approval')
        ? [{ decision: 'approve' }, { decision: 'reject' }]
        : [bodyOf(route)];
    for (const [name, route] of routes) {
      const hasBody = route.method !== 'GET' && route.method !== 'DELETE';
      for (const body of bodies(route)) {
        const [foreign, missing] = await Promise.all(
          [real, absent].map(async (run) => {
            const id = route.url.startsWith('/tasks') ? `${run}:gate` : run;
            const path = route.url.replace(':id', id).replaceAll(/:\w+/g, 'gate');
            const ask = { method: route.method, key: adminOfB, ...(hasBody ? { body } : {}) };
            const { status, text } = await world.ask(path, ask);
            return [name, status, text.replaceAll(run, '').replace(/"requestId":"[^"]*"/, '')];
          }),
        );
        expect(foreign).toEqual(missing);
        expect(foreign?.[1]).toBe(404);
      }
    }
    const seen = await world.ask(`/runs/${real}`, { tenant: A });
    const isWaiting = state.startsWith('waits');
    expect(seen.json()['state']).toBe(isWaiting ? 'RUNNING' : state);
  });
});

it('SEC-02 a task of another tenant that waits is answered like one of a run that is not there', async () => {
  const definition = { tasks: [{ name: 'gate', approval: { message: 'go?' } }] };
  await world.ask('/jobs', { body: { name: 'gated', definition }, tenant: A });
  const { id } = (await world.ask('/runs', { body: { job: 'gated' }, tenant: A })).json<{
    id: string;
  }>();
  const absent = `${id.slice(0, -4)}ffff`;
  const approve = (run: string, key: { key: string } | { tenant: string }) =>
    world.ask(`/runs/${run}/tasks/gate/approval`, { body: { decision: 'approve' }, ...key });
  // Ids of the run are in the sentences.
  const said = async (run: string) => {
    const { status, text } = await approve(run, { key: adminOfB });
    return [status, text.replaceAll(run, '').replace(/"requestId":"[^"]*"/, '')];
  };
  expect(await said(id)).toEqual(await said(absent));
  expect((await approve(id, { tenant: A })).status).toBe(200);
});
