import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from './testing/api-world.ts';
import { BAD_BODIES } from './testing/bodies.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  expect((await world.ask('/jobs', { body: { name: 'known', definition: {} } })).status).toBe(201);
});
afterAll(() => world.stop());

const json = { 'content-type': 'application/json' };

describe('bodies', () => {
  it.each(BAD_BODIES.map((bad) => [JSON.stringify(bad.body), bad] as const))(
    'API-10 %s is refused with the path of the field',
    async (_text, { path, body, field }) => {
      const answer = await world.ask(path, { body });
      expect(answer.status).toBe(422);
      expect(answer.error()).toMatchObject({ code: 'invalid', field });
    },
  );

  it('API-10 leaves nothing of them in the store', async () => {
    expect(BAD_BODIES.length).toBeGreaterThanOrEqual(20);
    const jobs = await world.ask('/jobs');
    expect(jobs.json<{ items: { name: string }[] }>().items.map((job) => job.name)).toEqual([
      'known',
    ]);
    expect((await world.ask('/runs')).json<{ items: unknown[] }>().items).toEqual([]);
  });

  it.each(['file:///etc/passwd', 'ftp://example.com/', 'gopher://example.com/', 'data:,x'])(
    'HTP-04 a job with the URL %s is refused, and not stored',
    async (url) => {
      const body = { name: 'call', definition: { tasks: [{ http: { url } }] } };
      const answer = await world.ask('/jobs', { body });
      expect([answer.status, answer.error().code]).toEqual([422, 'target_not_allowed']);
      expect((await world.ask('/jobs/call')).status).toBe(404);
    },
  );

  it.each([
    ['h17 __proto__', '{"job":"known","input":{"__proto__":{"admin":true}}}', 422],
    ['h17 constructor', '{"job":"known","constructor":{"prototype":{}}}', 422],
    ['h25 a lone surrogate', '{"job":"known","input":"\\ud800"}', 400],
    ['h29 9007199254740993', '{"job":"known","delay":9007199254740993}', 422],
    ['h29 1e400', '{"job":"known","delay":1e400}', 422],
    ['h29 -0', '{"job":"known","delay":-0}', 422],
    ['h31 beyond the horizon', '{"job":"known","delay":315360000001}', 422],
    ['broken JSON', '{"job":', 400],
  ])('%s is refused', async (_name, raw, status) => {
    const answer = await world.ask('/runs', { raw, headers: json });
    expect(answer.status).toBe(status);
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it('h25 bytes that are not UTF-8 are refused', async () => {
    const raw = Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expect((await world.ask('/runs', { raw, headers: json })).status).toBe(400);
  });

  it('h19 a body a million levels deep is refused at once', async () => {
    const startedAt = performance.now();
    const raw = '['.repeat(1_000_000);
    expect((await world.ask('/runs', { raw, headers: json })).status).toBe(400);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('h19 F24 a body of 2 MB is refused by its size', async () => {
    const raw = `"${'x'.repeat(2_000_000)}"`;
    const answer = await world.ask('/runs', { raw, headers: json });
    expect(answer.status).toBe(413);
    expect(answer.error().code).toBe('too_large');
  });

  it('h19 F24 a body that does not say its size is counted as it comes', async () => {
    const chunk = 'x'.repeat(65_536);
    const chunks = `${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(20);
    const head = requestHead('POST', '/runs', ['Transfer-Encoding: chunked']);
    const said = await world.talk(`${head}${chunks}0\r\n\r\n`);
    expect(said).toMatch(/^HTTP\/1\.1 413 /);
  });

  it.each([
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/jsonx',
  ])('h27 a body of type %s is refused', async (type) => {
    const raw = '{"job":"known"}';
    const answer = await world.ask('/runs', { raw, headers: { 'content-type': type } });
    expect(answer.status).toBe(415);
    expect(answer.error().code).toBe('unsupported_media_type');
  });

  it.each(['gzip', 'deflate', 'br', 'zstd', 'identity, gzip'])(
    'h23 a body encoded as %s is not unpacked',
    async (encoding) => {
      const raw = Uint8Array.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0]);
      const headers = { ...json, 'content-encoding': encoding };
      expect((await world.ask('/runs', { raw, headers })).status).toBe(415);
    },
  );

  it.each(['null', '[]', '0', 'false', '""'])('%s is not a body without fields', async (raw) => {
    const headers = json;
    expect((await world.ask('/tenants/t', { method: 'PUT', raw, headers })).status).toBe(422);
    expect((await world.ask('/jobs/known/pause', { raw, headers })).status).toBe(422);
  });

  it('a body where none belongs is refused', async () => {
    const answer = await world.ask('/jobs/known/pause', { body: { force: true } });
    expect(answer.status).toBe(422);
  });
});

describe('queries and names', () => {
  it.each([
    ['h39 SQL', "/runs?job=' OR 1=1--", 422],
    ['h39 an operator of a store', '/runs?job=$where', 422],
    ['h39 a pattern', '/runs?job=(a%2B)%2B$', 422],
    ['h39 10 KB', `/runs?job=${'a'.repeat(10_000)}`, 422],
    ['h39 an unknown filter', '/runs?$where=1', 422],
    ['a parameter twice', '/runs?limit=1&limit=2', 422],
    ['a number that is none', '/runs?limit=1e2', 422],
    ['a number with space', '/runs?limit=%201', 422],
    ['a number below', '/runs?limit=0', 422],
    ['a number past 2^53', '/audit?limit=9007199254740993', 422],
    ['a prototype', '/runs?__proto__[x]=1', 422],
    ['NUL', '/runs?cursor=%00', 422],
    ['h35 a path', '/jobs/..%2f..%2fetc%2fpasswd', 422],
    ['h35 NUL', '/jobs/%00', 422],
    ['h35 a script', '/jobs/%3Cscript%3E', 422],
    ['h35 text from right to left', '/jobs/%E2%80%AEabc', 422],
    ['h35 a blob by its path', '/blobs/..%2f..%2fsignalbox.sqlite', 422],
  ])('%s is refused within 50 ms', async (_name, path, status) => {
    await world.ask('/runs?limit=1');
    const startedAt = performance.now();
    const answer = await world.ask(path);
    const ms = performance.now() - startedAt;
    expect([path, answer.status]).toEqual([path, status]);
    expect(answer.error().code).toBe('invalid');
    expect(ms).toBeLessThan(500);
  });

  it('h35 a name of 4 KB is refused', async () => {
    const { status } = await world.ask(`/jobs/${'a'.repeat(4_096)}`);
    expect([400, 404, 414, 422]).toContain(status);
  });

  it.each([
    '../../etc/passwd',
    'a/b',
    'a\u202eb',
    '<script>',
    'a b',
    'x'.repeat(4_096),
    'ü',
    '.',
    '-a',
  ])('h35 a job is not named %j', async (name) => {
    const answer = await world.ask('/jobs', { body: { name, definition: {} } });
    expect(answer.status).toBe(422);
    expect(answer.error().field).toBe('name');
  });
});

function requestHead(method: string, path: string, headers: string[]): string {
  const lines = [
    `${method} /api/v1${path} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    'Content-Type: application/json',
    'Authorization: Bearer Zk3vQ9xT7mB2wR8nL5cJ1hD6gF4sA0pE',
    ...headers,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}
