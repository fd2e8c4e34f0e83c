import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineJob, saveSecret } from '../operations/index.ts';
import { caller } from '../operations/testing/small-node.ts';
import { startNode } from '../start-node.ts';
import { ApiWorld } from './testing/api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
});
afterAll(() => world.stop());

const put = (name: string, value: unknown, more: object = {}) =>
  world.ask(`/secrets/${name}`, { method: 'PUT', body: { value }, ...more });
const tasks = [
  { http: { url: 'https://example.com/', headers: { Authorization: { secret: 'later' } } } },
];

describe('secrets', () => {
  it('SEC-04 are stored and listed without their values', async () => {
    const made = await put('token', 'hidden-1');
    expect([made.status, made.headers.get('etag')]).toEqual([201, '"1"']);
    expect(made.json()).toEqual({
      name: 'token',
      version: 1,
      author: 'root',
      at: expect.any(String),
    });
    expect((await put('token', 'hidden-2')).status).toBe(200);
    const stale = await put('token', 'hidden-3', { headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
    const listed = await world.ask('/secrets');
    expect(listed.json<{ items: unknown[] }>().items).toMatchObject([
      { name: 'token', version: 2 },
    ]);
    expect((await world.ask('/secrets/token', { method: 'DELETE' })).status).toBe(200);
    expect((await world.ask('/secrets')).json()).toEqual({ items: [] });
    expect((await world.ask('/secrets/token', { method: 'DELETE' })).status).toBe(404);
    const audit = (await world.ask('/audit')).text;
    expect(audit).toContain('secret.update');
    expect(audit).toContain('secret.delete');
    for (const text of [made.text, stale.text, listed.text, audit, world.logged.join('')]) {
      expect(text).not.toContain('hidden-');
    }
  });

  it('are set by admins and listed by authors of definitions', async () => {
    const [operator, viewer] = await Promise.all([
      world.makeKey('operator', 'default'),
      world.makeKey('viewer', 'default'),
    ]);
    expect((await put('token', 'x', { key: operator })).status).toBe(403);
    expect((await world.ask('/secrets', { key: operator })).status).toBe(200);
    expect((await world.ask('/secrets', { key: viewer })).status).toBe(403);
  });

  it.each([
    ['', 422],
    ['x'.repeat(32_769), 422],
    ['hidden\0', 422],
    [7, 422],
  ])('refuses a value without repeating it', async (value, status) => {
    const answer = await put('token', value);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toMatch(/xxx|hidden/);
  });

  it('SEC-04 in definitions are read back as references', async () => {
    const saved = await world.ask('/jobs/call', { method: 'PUT', body: { tasks } });
    expect(saved.json()).toMatchObject({
      definition: { tasks },
      warnings: [
        {
          field: 'tasks[0].http.headers.Authorization',
          message: 'there is no secret later yet; attempts fail until it is set',
        },
      ],
    });
    await put('later', 'x');
    const again = await world.ask('/jobs/call', { method: 'PUT', body: { tasks } });
    expect(again.json()).not.toHaveProperty('warnings');
    expect((await world.ask('/jobs/call')).json()).toMatchObject({ definition: { tasks } });
    const bad = [{ command: { argv: ['true'], env: { A: { secret: 'later', more: 1 } } } }];
    expect((await world.ask('/jobs/bad', { method: 'PUT', body: { tasks: bad } })).status).toBe(
      422,
    );
  });

  it('a plain value that looks like a secret is accepted with a warning', async () => {
    const plain = [{ command: { argv: ['true'], env: { API_TOKEN: 'hidden' } } }];
    const warnings = [
      {
        field: 'tasks[0].command.env.API_TOKEN',
        message: expect.stringContaining('looks like a secret and is stored as plain text'),
      },
    ];
    const checked = await world.ask('/jobs/plain/check', { body: { tasks: plain } });
    expect(checked.json()).toMatchObject({ outcome: 'created', warnings });
    const saved = await world.ask('/jobs', {
      body: { name: 'plain', definition: { tasks: plain } },
    });
    expect(saved.status).toBe(201);
    expect(saved.json()).toMatchObject({ warnings });
    expect((await world.ask('/jobs/plain')).json()).not.toHaveProperty('warnings');
  });
});

it('a node without a root key refuses secrets and references to them', async () => {
  const node = await startNode({ store: 'memory:', http: false, onFatal: () => {} });
  await node.ready();
  try {
    const secret = saveSecret(node.context, caller(), { name: 'token', secret: { value: 'x' } });
    await expect(secret).rejects.toMatchObject({ code: 'invalid' });
    const job = defineJob(node.context, caller(), { name: 'call', definition: { tasks } });
    const field = 'tasks[0].http.headers.Authorization';
    await expect(job).rejects.toMatchObject({ code: 'invalid', field });
  } finally {
    await node.stop();
  }
});
