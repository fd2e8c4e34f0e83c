import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { httpBlobs } from './blobs.ts';

let server: http.Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function listen(answer: http.RequestListener): Promise<string> {
  server = http.createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('puts and gets bytes over the API, for the tenant of the attempt', async () => {
  const asked: unknown[] = [];
  const kept: Buffer[] = [];
  const url = await listen(async (request, response) => {
    const { method, url: path, headers } = request;
    asked.push([method, path, headers['authorization'], headers['signalbox-tenant']]);
    if (method === 'GET') return void response.end(kept[0]);
    for await (const chunk of request) kept.push(chunk as Buffer);
    response.statusCode = 201;
    response.end(JSON.stringify({ name: 'a/b', bytes: 3, sha256: 'x' }));
  });
  const blobs = httpBlobs({ url, key: 'sbx_k' });
  const ref = await blobs.put('acme', new Uint8Array([1, 2, 3]));
  expect(await blobs.get('acme', ref.name)).toEqual(new Uint8Array([1, 2, 3]));
  expect(asked).toEqual([
    ['PUT', '/api/v1/blobs', 'Bearer sbx_k', 'acme'],
    ['GET', '/api/v1/blobs/a%2Fb', 'Bearer sbx_k', 'acme'],
  ]);
});

describe('with several nodes', () => {
  const AWAY = 'http://127.0.0.1:9';
  const answer: http.RequestListener = async (request, response) => {
    for await (const chunk of request) void chunk;
    const isPut = request.method === 'PUT';
    response.end(isPut ? JSON.stringify({ name: 'n', bytes: 1, sha256: 'x' }) : 'bytes');
  };

  it('asks the next one where a node is away', async () => {
    const url = await listen(answer);
    const blobs = httpBlobs({ url: [AWAY, url], key: 'sbx_k' });
    expect((await blobs.put('acme', new Uint8Array(1))).name).toBe('n');
    expect(await blobs.get('acme', 'n')).toEqual(new TextEncoder().encode('bytes'));
  });

  it('asks the next one where a node cannot do it, or has no such blob', async () => {
    const statuses = [503, 404];
    const failing = http.createServer((request, response) => {
      request.resume();
      response.statusCode = statuses.shift() ?? 500;
      response.end('{}');
    });
    onTestFinished(() => void failing.close());
    await once(failing.listen(0, '127.0.0.1'), 'listening');
    const first = `http://127.0.0.1:${(failing.address() as AddressInfo).port}`;
    const url = await listen(answer);
    const blobs = httpBlobs({ url: [first, url], key: 'sbx_k' });
    expect((await blobs.put('acme', new Uint8Array(1))).name).toBe('n');
    expect(await httpBlobs({ url: [first, url], key: 'k' }).get('acme', 'n')).not.toBeNull();
    expect(statuses).toEqual([]);
  });

  it('says what the last one said where all fail', async () => {
    const url = await listen((request, response) => {
      request.resume();
      response.statusCode = 404;
      response.end('{}');
    });
    expect(await httpBlobs({ url: [url, url], key: 'k' }).get('acme', 'n')).toBeNull();
    await expect(httpBlobs({ url: [url, AWAY], key: 'k' }).get('acme', 'n')).rejects.toThrow();
  });
});

it.each([
  [404, null],
  [400, 'permanent'],
  [403, 'permanent'],
  [413, 'permanent'],
  // The key may be put in place again, and the limit may pass.
  [401, 'transient'],
  [429, 'transient'],
  [503, 'transient'],
])('understands %i', async (status, errorClass) => {
  const url = await listen((request, response) => {
    request.resume();
    response.statusCode = status;
    response.end('{}');
  });
  const blobs = httpBlobs({ url, key: 'sbx_k' });
  if (errorClass === null) expect(await blobs.get('acme', 'x')).toBeNull();
  else await expect(blobs.put('acme', new Uint8Array(1))).rejects.toMatchObject({ errorClass });
});
