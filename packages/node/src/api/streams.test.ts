import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createMemoryStore } from '@signalbox/store/memory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '../auth/authenticator.ts';
import { API_BASE } from './base.ts';
import { ApiWorld, ROOT_KEY } from './testing/api-world.ts';
import { KeyWatch } from './watch-keys.ts';

const LIMITS = { perKey: 2, perTenant: 3 };

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start({ http: { host: '127.0.0.1', port: 0, streams: LIMITS } });
});
afterAll(() => world.stop());

/** An event stream with its headers received; the test reads or closes it. */
async function open(path: string, key: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}` };
  const asked = request(`${world.url}${API_BASE}${path}`, { headers }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return response;
}

function ended(stream: IncomingMessage): Promise<unknown> {
  stream.resume();
  return once(stream, 'end');
}

async function waitingRun(key: string): Promise<string> {
  await world.ask('/jobs', { body: { name: 'waits', definition: {} }, key });
  return (await world.ask('/runs', { body: { job: 'waits' }, key })).json<{ id: string }>().id;
}

describe('event streams', () => {
  it('SEC-01 end when their key is revoked', async () => {
    const key = await world.makeKey('operator', 'revoked');
    const other = await world.makeKey('viewer', 'revoked');
    const run = await waitingRun(key);
    const streams = [await open('/events', key), await open(`/runs/${run}/events`, key)];
    const kept = await open('/events', other);
    const over = Promise.all(streams.map(ended));
    const id = key.split('_')[1];
    await world.ask(`/keys/${id}`, { method: 'DELETE', tenant: 'revoked' });
    await over;
    expect(kept.destroyed || kept.readableEnded).toBe(false);
    kept.destroy();
  });

  it('SEC-01 end when their key expires', async () => {
    const expiresAt = new Date(Date.now() + 1_000).toISOString();
    const made = await world.ask('/keys', {
      body: { role: 'viewer', expiresAt },
      tenant: 'expired',
    });
    await ended(await open('/events', made.json<{ secret: string }>().secret));
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
  });

  it('SEC-01 end within five seconds on a node on which the key was not revoked', async () => {
    let elapsed = 0;
    const store = createMemoryStore({ now: Date.now });
    const params = { store, rootKey: ROOT_KEY, now: Date.now, monotonicMs: () => elapsed };
    const [here, there] = [new Authenticator(params), new Authenticator(params)];
    const { key, text } = await here.keys.create({
      ...{ tenant: 'acme', role: 'viewer', note: '', expiresAt: null, author: 'root' },
    });
    await there.authenticate(text, '1');
    const closed: string[] = [];
    const streams = {
      keys: () => new Set(['root', key.id]),
      closeSessionsOf: (id: string) => closed.push(id),
    };
    const watch = new KeyWatch(there, [streams]);
    await here.keys.revoke({ tenants: ['acme'], id: key.id, author: 'root' });
    elapsed += 3_400;
    await watch.check();
    watch.stop();
    expect(closed).toEqual([key.id]);
  });

  it('are limited for each key, and a closed stream makes room', async () => {
    const key = await world.makeKey('viewer', 'by-key');
    const streams = [await open('/events', key), await open('/events', key)];
    const refused = await world.ask('/events', { key });
    expect(refused.status).toBe(429);
    expect(refused.error()).toMatchObject({
      code: 'rate_limited',
      message:
        'the key already has 2 open event streams on this node; close some, or raise the setting streams-per-key',
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await world.ask('/runs', { key })).status).toBe(200);
    streams[0]?.destroy();
    await expect.poll(async () => (await world.ask('/events', { key })).status).toBe(200);
    streams[1]?.destroy();
  });

  it('are limited for each tenant, and a refused request does not count', async () => {
    const keys = [await world.makeKey('viewer', 'full'), await world.makeKey('viewer', 'full')];
    const [first = '', second = ''] = keys;
    for (let i = 0; i < 5; i++) {
      expect((await world.ask('/runs/absent/events', { key: second })).status).toBe(404);
      expect((await world.ask('/events?x=1', { key: second })).status).toBe(422);
    }
    const streams = [
      await open('/events', first),
      await open('/events', first),
      await open('/events', second),
    ];
    expect(streams.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    const refused = await world.ask('/events', { key: second });
    expect([refused.status, refused.error().message]).toEqual([
      429,
      'the tenant already has 3 open event streams on this node; close some, or raise the setting streams-per-tenant',
    ]);
    const other = await world.makeKey('viewer', 'roomy');
    expect((await world.ask('/events', { key: other })).status).toBe(200);
    for (const stream of streams) stream.destroy();
  });
});
