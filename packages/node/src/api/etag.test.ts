import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from './testing/api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
});
afterAll(() => world.stop());

const put = (path: string, body: object, headers: Record<string, string>) =>
  world.ask(path, { method: 'PUT', body, headers });

describe('conditional changes', () => {
  it.each([
    ['/jobs/fresh', {}],
    ['/tenants/fresh', { weight: 2 }],
    ['/calendars/fresh', { blackouts: ['2030-01-01'] }],
  ])('API-12 If-Match: * changes what is there and makes nothing new: %s', async (path, body) => {
    const any = { 'if-match': '*' };
    expect((await put(path, body, any)).status).toBe(412);
    expect((await world.ask(path)).status).toBe(404);
    expect((await put(path, body, {})).status).toBeLessThan(300);
    const { headers } = await put(path, body, any);
    const seen = headers.get('etag') ?? '';
    expect(seen).toBe('"1"');
    expect((await world.ask(path, { method: 'DELETE' })).status).toBeLessThan(300);
    const gone = await world.ask(path);
    for (const match of ['*', seen]) {
      expect([match, (await put(path, body, { 'if-match': match })).status]).toEqual([match, 412]);
    }
    expect((await world.ask(path)).text.replace(/"requestId":"[^"]*"/, '')).toBe(
      gone.text.replace(/"requestId":"[^"]*"/, ''),
    );
  });

  it.each([
    ['schedules', { job: 'made', every: '1m' }, { job: 'made', every: '2m' }],
    ['triggers', { job: 'made', type: 'a' }, { job: 'made', type: 'b' }],
  ])('POST /%s creates: 409 for a name that exists, PUT changes it', async (kind, one, other) => {
    expect((await put('/jobs/made', {}, {})).status).toBeLessThan(300);
    const post = (definition: object) =>
      world.ask(`/${kind}`, { body: { name: 'once', definition } });
    expect((await post(one)).status).toBe(201);
    const again = await post(other);
    expect(again.status).toBe(409);
    const { error } = again.json<{ error: { code: string; message: string } }>();
    expect(error.code).toBe('conflict');
    expect(error.message).toContain(`signalbox ${kind} update once`);
    expect((await world.ask(`/${kind}/once`)).headers.get('etag')).toBe('"1"');
    expect((await put(`/${kind}/once`, other, { 'if-match': '"1"' })).status).toBe(200);
    expect((await put(`/${kind}/once`, one, { 'if-match': '"1"' })).status).toBe(412);
  });

  it.each([
    ['jobs', {}],
    ['schedules', { job: 'base', every: '1m' }],
    ['triggers', { job: 'base', type: 'a' }],
    ['calendars', { blackouts: ['2030-01-01'] }],
  ])(
    'API-12 If-Match with the version of a deleted definition does not create: %s',
    async (kind, body) => {
      await put('/jobs/base', {}, {});
      const path = `/${kind}/gone`;
      expect((await put(path, body, {})).status).toBeLessThan(300);
      expect((await world.ask(path, { method: 'DELETE' })).status).toBe(200);
      // The deletion is a version of its own.
      const headers = { 'if-match': '"2"' };
      const refused = await put(path, body, headers);
      expect([refused.status, refused.error().code]).toEqual([412, 'precondition_failed']);
      expect(refused.error().message).toContain('deleted');
      if (kind !== 'calendars') {
        const posted = { body: { name: 'gone', definition: body }, headers };
        expect((await world.ask(`/${kind}`, posted)).status).toBe(412);
      }
      const live = (await world.ask(`/${kind}`)).json<{ items: { name: string }[] }>().items;
      expect(live.map(({ name }) => name)).not.toContain('gone');
      if (kind === 'jobs') {
        const restored = await world.ask(`${path}/restore`, { method: 'POST', headers });
        expect(restored.status).toBe(200);
      } else {
        expect((await put(path, body, {})).status).toBeLessThan(300);
      }
    },
  );

  it('API-12 calendars are changed only from the version that was seen', async () => {
    const path = '/calendars/holidays';
    const save = (day: string, headers: Record<string, string>) =>
      put(path, { blackouts: [`2030-01-${day}`] }, headers);
    expect((await save('01', { 'if-none-match': '*' })).headers.get('etag')).toBe('"1"');
    expect((await save('02', { 'if-none-match': '*' })).status).toBe(412);
    expect((await save('02', { 'if-match': '"99"' })).status).toBe(412);
    expect((await save('02', { 'if-match': '"1"' })).headers.get('etag')).toBe('"2"');
    expect((await world.ask(path)).headers.get('etag')).toBe('"2"');
    const remove = (tag: string) =>
      world.ask(path, { method: 'DELETE', headers: { 'if-match': tag } });
    expect((await remove('"1"')).status).toBe(412);
    expect((await remove('"2"')).status).toBe(200);
  });
});
