import { crc32 } from 'node:zlib';
import { verifyAuditChain } from '@signalbox/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '../auth/authenticator.ts';
import { makeKey, parseKey } from '../auth/key-format.ts';
import { ApiWorld } from './testing/api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
});
afterAll(() => world.stop());

interface Entry {
  readonly action: string;
  readonly target: string;
  readonly actor: string;
  readonly ip: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly reason: string;
}

async function auditOf(tenant: string): Promise<Entry[]> {
  const { items } = (await world.ask('/audit?limit=1000', { tenant })).json<{ items: Entry[] }>();
  return items;
}

describe('the audit log', () => {
  it('SEC-03 has who changed what, from where, what was before and after, and why', async () => {
    const tenant = 'audited';
    const key = await world.makeKey('operator', tenant);
    const id = key.split('_')[1] as string;
    await world.ask('/jobs', { body: { name: 'nightly', definition: {} }, key });
    await world.ask('/jobs/nightly/pause', {
      method: 'POST',
      key,
      headers: { 'signalbox-reason': 'too many failures' },
    });
    const later = { method: 'PUT', body: { priority: 'P2' }, key };
    expect((await world.ask('/jobs/nightly', later)).status).toBe(200);
    const [made, defined, paused, changed] = await auditOf(tenant);
    expect(made).toMatchObject({ action: 'key.create', target: id, actor: 'root' });
    expect(defined).toMatchObject({ target: 'nightly', actor: id, ip: '127.0.0.1' });
    expect(defined?.after).not.toBeNull();
    expect(defined?.before).toBeNull();
    expect(paused).toMatchObject({ target: 'nightly', reason: 'too many failures' });
    // Definitions are named by their versions, all of which can be read.
    expect(paused).toMatchObject({ before: 'version 1', after: 'version 2, paused' });
    expect(changed).toMatchObject({ before: 'version 2', after: 'version 3, changed' });
    const contents = [2, 3].map((version) =>
      world.ask(`/jobs/nightly/versions/${version}`, { key }).then(({ text }) => text),
    );
    const [before = '', after = ''] = await Promise.all(contents);
    expect([before.includes('P2'), after.includes('P2')]).toEqual([false, true]);
  });

  it.each([
    ['schedules', { job: 'used', every: '1h' }, { job: 'used', every: '2h' }],
    ['triggers', { job: 'used', type: 'a' }, { job: 'used', type: 'b' }],
    ['calendars', { blackouts: ['12-25'] }, { blackouts: ['12-26'] }],
  ])('SEC-03 names the versions of %s before and after each change', async (kind, one, two) => {
    const tenant = `versions-of-${kind}`;
    await world.ask('/jobs', { body: { name: 'used', definition: {} }, tenant });
    const url = `/${kind}/kept`;
    for (const body of [one, two, two]) await world.ask(url, { method: 'PUT', body, tenant });
    const canPause = kind !== 'calendars';
    const pauses = canPause ? [`${url}/pause`, `${url}/pause`] : [];
    for (const path of pauses) await world.ask(path, { method: 'POST', tenant });
    await world.ask(url, { method: 'DELETE', tenant });
    const [, ...entries] = await auditOf(tenant);
    expect(entries.map(({ before, after }) => [before, after])).toEqual([
      [null, 'version 1, created'],
      ['version 1', 'version 2, changed'],
      ['version 2', 'version 2, unchanged'],
      ...(canPause
        ? [
            ['version 2', 'version 3, paused'],
            ['version 3', 'version 3, paused'],
            ['version 3', 'version 4, deleted'],
          ]
        : [['version 2', 'version 3, deleted']]),
    ]);
  });

  it('SEC-03 has the priority of a run before and after it was changed', async () => {
    const tenant = 'urgent';
    await world.ask('/jobs', { body: { name: 'used', definition: {} }, tenant });
    const run = await world.ask('/runs', { body: { job: 'used' }, tenant });
    const { id } = run.json<{ id: string }>();
    await world.ask(`/runs/${id}/priority`, { body: { priority: 'P0' }, tenant });
    const last = (await auditOf(tenant)).at(-1);
    expect(last).toMatchObject({ action: 'run.priority', before: 'P1', after: 'P0' });
  });

  it('SEC-03 takes the reason from the body, and traces submissions by the run', async () => {
    const tenant = 'reasoned';
    const key = await world.makeKey('operator', tenant);
    await world.ask('/jobs', { body: { name: 'nightly', definition: {} }, key });
    const { id } = (await world.ask('/runs', { body: { job: 'nightly' }, key })).json<{
      id: string;
    }>();
    const run = (await world.ask(`/runs/${id}`, { key })).json<{ trigger: { by: string } }>();
    expect(run.trigger.by).toContain(key.split('_')[1]);
    await world.ask(`/runs/${id}/cancel`, { body: { reason: 'not needed' }, key });
    const last = (await auditOf(tenant)).at(-1);
    expect(last).toMatchObject({ action: 'run.cancel', target: id, reason: 'not needed' });
  });

  it('SEC-03 has no entry for what was refused, and none of its entries holds a secret', async () => {
    const tenant = 'quiet';
    const made = await world.ask('/keys', { body: { role: 'viewer' }, tenant });
    const { secret } = made.json<{ secret: string }>();
    await world.ask('/keys/absent', { method: 'DELETE', tenant });
    await world.ask('/jobs', { body: { name: '<>' }, tenant });
    const entries = await auditOf(tenant);
    expect(entries.map((entry) => entry.action)).toEqual(['key.create']);
    expect(JSON.stringify(entries)).not.toContain(secret.split('_').slice(2).join('_'));
  });

  it('SEC-03 is a chain that the store vouches for, and is read in pages', async () => {
    const { store } = world.node.context;
    const rows = await store.readAudit({ tenant: 'default', after: 0, limit: 1_000 });
    expect(verifyAuditChain(rows)).toBeNull();
    const tenant = 'paged';
    for (let i = 0; i < 3; i++) await world.makeKey('viewer', tenant);
    const first = (await world.ask('/audit?limit=2', { tenant })).json<{ next: string }>();
    const rest = (await world.ask(`/audit?limit=2&after=${first.next}`, { tenant })).json<{
      items: unknown[];
      next?: string;
    }>();
    expect(rest.items).toHaveLength(1);
    expect(rest.next).toBeUndefined();
  });
});

describe('keys', () => {
  it('SEC-02 are not made with an expiry that no clock reads', async () => {
    for (const expiresAt of ['2030-12-31T23:59:60Z', '2020-12-31T23:59:60Z']) {
      const made = await world.ask('/keys', {
        body: { role: 'viewer', expiresAt },
        tenant: 'keyed',
      });
      expect([expiresAt, made.status, made.error().field]).toEqual([expiresAt, 422, 'expiresAt']);
    }
  });

  it('show their secret once, and never again', async () => {
    const tenant = 'keyed';
    const made = await world.ask('/keys', { body: { role: 'viewer', note: 'ci' }, tenant });
    expect(made.status).toBe(201);
    const { secret, id } = made.json<{ secret: string; id: string }>();
    expect((await world.ask('/whoami', { key: secret })).json()).toEqual({
      key: id,
      tenant,
      role: 'viewer',
      platform: false,
    });
    const { text } = await world.ask('/keys', { tenant });
    expect(text).toContain(id);
    expect(text).not.toMatch(/secret|sha256/);
  });

  it('are refused after they were revoked', async () => {
    const key = await world.makeKey('viewer', 'keyed');
    expect((await world.ask('/whoami', { key })).status).toBe(200);
    const id = key.split('_')[1];
    const revoked = await world.ask(`/keys/${id}`, { method: 'DELETE', tenant: 'keyed' });
    expect(revoked.json()).toMatchObject({ id, revoked: true });
    expect((await world.ask('/whoami', { key })).status).toBe(401);
  });

  it("of workers are the platform's to make", async () => {
    const admin = await world.makeKey('admin', 'keyed');
    const asked = await world.ask('/keys', { body: { role: 'worker' }, key: admin });
    expect(asked.status).toBe(403);
    const made = await world.ask('/keys', { body: { role: 'worker' } });
    expect(made.json()).toMatchObject({ tenant: '*', role: 'worker' });
    const bound = await world.ask('/keys', { body: { role: 'worker' }, tenant: 'keyed' });
    expect(bound.status).toBe(422);
    const { items } = (await world.ask('/keys', { tenant: '*' })).json<{ items: unknown[] }>();
    expect(items).toHaveLength(1);
  });

  it('that would be over at once are not made', async () => {
    // The second passes as a date by its form and is no instant: such a key would never be over.
    for (const expiresAt of ['2020-01-01T00:00:00Z', '2030-12-31T23:59:60Z']) {
      const answer = await world.ask('/keys', { body: { role: 'viewer', expiresAt } });
      expect(answer.status).toBe(422);
      expect(answer.error().field).toBe('expiresAt');
    }
  });
});

describe('a key that is not valid', () => {
  it('SEC-01 gets the same response, whatever is wrong with it', async () => {
    const tenant = 'wrong';
    const revoked = await world.makeKey('viewer', tenant);
    await world.ask(`/keys/${revoked.split('_')[1]}`, { method: 'DELETE', tenant });
    const { keys } = new Authenticator({
      store: world.node.context.store,
      rootKey: null,
      now: () => 0,
    });
    const old = { tenant, role: 'viewer', note: '', expiresAt: '2020-01-01T00:00:00Z' } as const;
    const { text: expired } = await keys.create({ ...old, author: 'root' });
    const valid = parseKey(await world.makeKey('viewer', tenant));
    const body = `sbx_${valid?.id}_${makeKey().secret}`;
    const wrong = body + crc32(body).toString(16).padStart(8, '0');
    const answers = new Set<string>();
    for (const key of [revoked, expired, wrong, makeKey().text, 'nonsense']) {
      const { status, text, headers } = await world.ask('/whoami', { key });
      const shown = text.replace(/"requestId":"[^"]*"/, '');
      answers.add(JSON.stringify([status, shown, headers.get('www-authenticate')]));
    }
    expect(answers.size).toBe(1);
    expect([...answers][0]).toContain('the key is unknown, revoked or expired');
  });
});

describe('tenants', () => {
  it('have weight and limits, which the engine is told of at once', async () => {
    const put = await world.ask('/tenants/big', {
      method: 'PUT',
      body: { weight: 3, maxRunning: 7 },
    });
    expect(put.status).toBe(201);
    expect(put.headers.get('etag')).toBe('"1"');
    const ofEngine = () => world.node.context.loop.engine.core.ofTenant('big', 1);
    expect(ofEngine()).toMatchObject({ weight: 3, runningMax: 7 });
    const entry = (await auditOf('*')).at(-1);
    expect(entry).toMatchObject({ action: 'tenant.update', target: 'big' });
    await world.ask('/tenants/big', { method: 'DELETE' });
    expect(ofEngine()).toMatchObject({ weight: 1, runningMax: Number.POSITIVE_INFINITY });
    expect((await world.ask('/tenants/big')).status).toBe(404);
  });

  it('API-12 are changed only from the version that was seen', async () => {
    const put = (headers: Record<string, string>, weight: number) =>
      world.ask('/tenants/seen', { method: 'PUT', body: { weight }, headers });
    expect((await put({ 'if-none-match': '*' }, 1)).status).toBe(201);
    expect((await put({ 'if-none-match': '*' }, 2)).status).toBe(412);
    expect((await put({ 'if-match': '"1"' }, 2)).headers.get('etag')).toBe('"2"');
    expect((await put({ 'if-match': '"1"' }, 3)).status).toBe(412);
    expect((await put({ 'if-match': 'W/"2"' }, 3)).status).toBe(400);
    expect((await put({}, 2)).headers.get('etag')).toBe('"2"');
  });

  it('SEC-02 are told of themselves, and of nobody else', async () => {
    await world.ask('/tenants/mine', { method: 'PUT', body: { weight: 2 } });
    const key = await world.makeKey('viewer', 'mine');
    expect((await world.ask('/tenants/mine', { key })).status).toBe(200);
    expect((await world.ask('/tenants/seen', { key })).status).toBe(404);
    expect((await world.ask('/tenants', { key })).status).toBe(403);
  });
});

describe('the audit log of the platform', () => {
  it('SEC-02 has what is done to tenants and workers; the admin of a tenant does not read it', async () => {
    const admin = await world.makeKey('admin', 'default');
    await world.ask('/tenants/acme', { method: 'PUT', body: { weight: 7, maxRunning: 13 } });
    const made = await world.ask('/keys', { body: { role: 'worker' } });
    const { id } = made.json<{ id: string }>();
    const seen = (await world.ask('/audit?limit=1000', { key: admin })).text;
    expect(seen).not.toContain('maxRunning');
    expect(seen).not.toContain(id);
    expect((await auditOf('*')).slice(-2)).toMatchObject([
      { action: 'tenant.update', target: 'acme' },
      { action: 'key.create', target: id },
    ]);
  });

  it('SEC-02 has the end of a key of the platform, also if the request names no tenant', async () => {
    const admin = await world.makeKey('admin', 'default');
    const ids: string[] = [];
    for (const role of ['worker', 'admin']) {
      const made = await world.ask('/keys', { body: { role }, tenant: '*' });
      const { id } = made.json<{ id: string }>();
      expect((await world.ask(`/keys/${id}`, { method: 'DELETE' })).status).toBe(200);
      ids.push(id);
    }
    const seen = (await world.ask('/audit?limit=1000', { key: admin })).text;
    for (const id of ids) expect(seen).not.toContain(id);
    const revoked = (await auditOf('*')).filter(({ action }) => action === 'key.revoke');
    expect(revoked.slice(-2).map(({ target }) => target)).toEqual(ids);
    const own = await world.makeKey('viewer', 'default');
    const id = own.split('_')[1];
    await world.ask(`/keys/${id}`, { method: 'DELETE' });
    expect((await auditOf('default')).at(-1)).toMatchObject({ action: 'key.revoke', target: id });
  });
});
