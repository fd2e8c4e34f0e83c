import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../routes.ts';
import { ApiWorld } from './api-world.ts';
import { type Sent, violationsOf } from './contract.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
});
afterAll(() => world.stop());

const id = { 'x-request-id': 'a-1', 'content-type': 'application/json; charset=utf-8' };
const error = (code: string) => JSON.stringify({ error: { code, message: 'm', requestId: 'a-1' } });
const whoami = { key: 'k', tenant: 't', role: 'viewer', platform: false };
const sent: Sent = {
  method: 'GET',
  url: '/whoami',
  status: 200,
  headers: id,
  body: JSON.stringify(whoami),
};

describe('the check of every response against the API document', () => {
  it.each<[string, Partial<Sent>]>([
    ['a status', { status: 202 }],
    ['a code', { status: 422, body: error('locked_field') }],
    ['an error without an id', { status: 422, body: '{"error":{"code":"invalid","message":"m"}}' }],
    ['a header', { headers: { ...id, 'x-odd': '1' } }],
    ['a field', { body: JSON.stringify({ ...whoami, odd: 1 }) }],
    ['a type', { body: JSON.stringify({ ...whoami, platform: 'no' }) }],
    ['a missing field', { body: '{}' }],
    ['a missing header', { headers: { 'content-type': 'application/json' } }],
    ['a content type', { headers: { ...id, 'content-type': 'text/html' } }],
    ['a path', { url: '/nowhere' }],
    ['a method', { method: 'PUT' }],
  ])('finds %s that is not declared', (_name, odd) => {
    expect(violationsOf(sent)).toEqual([]);
    expect(violationsOf({ ...sent, ...odd })).not.toEqual([]);
  });

  it('gives a handler no header that its operation does not declare', async () => {
    const route = ROUTES.find(({ method, url }) => method === 'GET' && url === '/whoami');
    if (route === undefined) throw new Error('there is no such route');
    const { handler } = route;
    let seen: object = {};
    Object.assign(route, {
      handler: (request: Parameters<typeof handler>[0]) => {
        seen = request.headers;
        return handler(request);
      },
    });
    const headers = { 'if-match': '"1"', 'x-odd': '1' };
    await world.ask('/whoami', { headers, tenant: 'acme' });
    Object.assign(route, { handler });
    expect(seen).toEqual({ 'signalbox-tenant': 'acme' });
  });

  it('POST of a resource returns its path as Location', async () => {
    const job = await world.ask('/jobs', { body: { name: 'made', definition: {} } });
    expect(job.headers.get('location')).toBe('/api/v1/jobs/made');
    const run = await world.ask('/runs', { body: { job: 'made' } });
    const path = run.headers.get('location') as string;
    expect(path).toBe(`/api/v1/runs/${run.json()['id']}`);
    expect((await world.ask(path.slice('/api/v1'.length))).status).toBe(200);
    // Nothing is created by a repetition.
    const again = await world.ask('/jobs', { body: { name: 'made', definition: {} } });
    expect([again.status, again.headers.get('location')]).toEqual([200, null]);
  });
});
