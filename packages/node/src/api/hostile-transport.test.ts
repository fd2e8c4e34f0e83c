import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Authenticator } from '../auth/authenticator.ts';
import { buildApp } from './app.ts';
import { ROUTES } from './routes.ts';
import { ApiWorld, ROOT_KEY } from './testing/api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
});
afterAll(() => world.stop());

function bodyOf(said: string): { error: { code: string; message: string; requestId: string } } {
  return JSON.parse(said.slice(said.indexOf('\r\n\r\n') + 4));
}

describe('requests that are hardly requests', () => {
  it.each([
    ['garbage', '\x16\x03\x01\x02\x00garbage\r\n\r\n'],
    [
      'two lengths',
      'POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    ],
    [
      'length and chunks',
      'POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    [
      'a header of 20 KB',
      `GET /api/v1/health HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
    ],
    ['no host', 'GET /api/v1/health HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('%s gets the one shape of an error and is hung up on', async (_name, bytes) => {
    const said = await world.talk(bytes);
    expect(said).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(said.toLowerCase()).not.toContain('node');
  });

  it('answers garbage in the shape of every other error', async () => {
    const { error } = bodyOf(await world.talk('garbage\r\n\r\n'));
    expect(error.code).toBe('bad_request');
    expect(error.requestId).not.toBe('');
  });

  it('h21 a body that never comes is given up after the time for it', async () => {
    const { context } = world.node;
    const auth = new Authenticator({ store: context.store, rootKey: ROOT_KEY, now: Date.now });
    const limits = { requestTimeoutMs: 300, headersTimeoutMs: 200, checkEveryMs: 50 };
    const app = buildApp({ context, auth, routes: ROUTES, limits });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as { port: number };
    const slow = Object.assign(Object.create(ApiWorld.prototype), {
      url: `http://127.0.0.1:${port}`,
    }) as ApiWorld;
    const head = `POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ROOT_KEY}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n`;
    const startedAt = performance.now();
    const said = await slow.talk(`${head}123456789`);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(said === '' || said.startsWith('HTTP/1.1 408 ')).toBe(true);
    const headersOnly = await slow.talk('GET /api/v1/health HTTP/1.1\r\nHost: x\r\n');
    expect(headersOnly).toMatch(/^HTTP\/1\.1 408 /);
    expect(bodyOf(headersOnly).error.code).toBe('timeout');
    await app.close();
  });

  it('h21 waits less than 30 seconds for a request and 10 for its headers, on connections that are counted', () => {
    const { context } = world.node;
    const auth = new Authenticator({ store: context.store, rootKey: ROOT_KEY, now: Date.now });
    const app = buildApp({ context, auth, routes: ROUTES });
    const { server } = app;
    expect(server.requestTimeout).toBe(28_500);
    expect(server.headersTimeout).toBe(10_000);
    expect(server.maxConnections).toBeGreaterThan(0);
    return app.close();
  });
});

describe('a header section beyond the limit', () => {
  it('gets 431 with the error of the API', async () => {
    for (const header of [
      `X: ${'y'.repeat(20_000)}`,
      `Authorization: Bearer ${'y'.repeat(20_000)}`,
    ]) {
      const said = await world.talk(`GET /api/v1/whoami HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
      expect(said).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
      const { error } = bodyOf(said);
      expect(error.code).toBe('headers_too_large');
      expect(error.requestId).not.toBe('');
      expect(said).toContain(`\r\nX-Request-Id: ${error.requestId}\r\n`);
    }
  });
});

describe('a client that hangs up', () => {
  it('in the middle of its request is no error of the node', async () => {
    const { hostname, port } = new URL(world.url);
    const before = world.logged.length;
    const errors = () => world.logged.filter((line) => JSON.parse(line).level >= 40);
    const earlier = errors().length;
    const socket = connect(Number(port), hostname);
    const head = [
      'PUT /api/v1/jobs/hung-up HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${ROOT_KEY}`,
    ];
    const ofBody = [
      'Content-Type: application/json',
      'Content-Length: 100',
      'Expect: 100-continue',
    ];
    socket.write(`${[...head, ...ofBody].join('\r\n')}\r\n\r\n`);
    await once(socket, 'data');
    socket.end('{"tasks');
    // Either line is written when the node has noticed.
    const noticed = /request\.(aborted|failed)/;
    await vi.waitFor(() => expect(world.logged.slice(before).join('')).toMatch(noticed));
    expect(errors().slice(earlier)).toEqual([]);
    expect(world.logged.slice(before).join('')).not.toContain('stack');
  });
});

describe('two Authorization headers', () => {
  const ask = (headers: string, path = '/api/v1/whoami') =>
    world.talk(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`);
  const right = `Authorization: Bearer ${ROOT_KEY}\r\n`;
  const wrong = 'authorization: Bearer x\r\n';

  it('SEC-01 are refused in either order, and if they are equal', async () => {
    expect(await ask(right)).toMatch(/^HTTP\/1\.1 200 /);
    for (const headers of [right + wrong, wrong + right, right + right]) {
      const said = await ask(headers);
      expect(said).toMatch(/^HTTP\/1\.1 400 /);
      expect(bodyOf(said).error).toMatchObject({
        code: 'bad_request',
        message: 'the request has more than one Authorization header; send one',
      });
    }
  });

  it('SEC-01 are refused on the way to a worker connection', async () => {
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
    const socket = `${upgrade}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n`;
    const said = await world.talk(
      `GET /api/v1/worker HTTP/1.1\r\nHost: x\r\n${socket}${right}${wrong}\r\n`,
    );
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('methods', () => {
  it.each(['TRACE', 'OPTIONS', 'PATCH', 'HEAD', 'DELETE', 'PROPFIND', 'SEARCH'])(
    'h75 %s where it is not declared is 405 or 404, never done',
    async (method) => {
      const status = await world.askPath('/api/v1/runs', method);
      expect([404, 405]).toContain(status);
    },
  );

  it('h75 405 names what is taken', async () => {
    const answer = await world.ask('/runs', { method: 'DELETE' });
    expect(answer.status).toBe(405);
    expect(answer.error().code).toBe('method_not_allowed');
    expect(answer.headers.get('allow')).toBe('POST, GET');
  });

  it('h75 CONNECT is hung up on', async () => {
    const said = await world.talk('CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(said).not.toMatch(/^HTTP\/1\.1 2/);
  });

  it('h75 X-HTTP-Method-Override is ignored', async () => {
    await world.ask('/jobs', { body: { name: 'kept', definition: {} } });
    const headers = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' };
    expect((await world.ask('/jobs/kept', { headers })).json()).toMatchObject({ state: 'active' });
    expect((await world.ask('/jobs/kept')).json()).toMatchObject({ state: 'active' });
  });
});

describe('answers', () => {
  it('h07 a key in the address opens nothing and is in no log', async () => {
    for (const name of ['token', 'key', 'api_key', 'access_token']) {
      const { status } = await world.ask(`/whoami?${name}=${ROOT_KEY}`, { key: null });
      expect(status).toBe(401);
    }
    await world.ask(`/nowhere?token=${ROOT_KEY}`);
    expect(world.logged.join('')).toContain('request');
    expect(world.logged.join('')).not.toContain(ROOT_KEY);
  });

  it('SEC-01 takes the key as x-api-key, too', async () => {
    const headers = { 'x-api-key': ROOT_KEY };
    expect((await world.ask('/whoami', { key: null, headers })).status).toBe(200);
    const wrong = { 'x-api-key': `${ROOT_KEY}x` };
    expect((await world.ask('/whoami', { key: null, headers: wrong })).status).toBe(401);
  });

  it('carry an id, and headers that keep browsers from doing anything with them', async () => {
    for (const path of ['/health', '/nowhere', '/runs?x=1']) {
      const { headers } = await world.ask(path);
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{12}-/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('server')).toBeNull();
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  it('say nothing of what went wrong inside, and the log says all of it', async () => {
    const { store } = world.node.context;
    const readAudit = store.readAudit;
    store.readAudit = () => Promise.reject(new Error('password=hunter2 at db.internal'));
    const answer = await world.ask('/audit');
    store.readAudit = readAudit;
    expect(answer.status).toBe(500);
    expect(answer.text).not.toMatch(/hunter2|db\.internal|\.ts|at /);
    const { code, requestId } = answer.error();
    expect(code).toBe('internal');
    const logged = world.logged.filter((line) => line.includes(requestId)).join('');
    expect(logged).toContain('hunter2');
  });
});
