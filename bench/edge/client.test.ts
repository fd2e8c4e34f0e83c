import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { Client } from './client.ts';

let server: Server | null = null;
afterEach(() => new Promise<void>((resolve) => void (server?.close(() => resolve()) ?? resolve())));

async function clientOf(handle: RequestListener): Promise<Client> {
  server = createServer(handle);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  return new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'secret');
}

it('sends a body with its key and puts an answer of several pieces together', async () => {
  const client = await clientOf(async (request, response) => {
    const sent = Buffer.concat(await request.toArray()).toString();
    const { method, url, headers } = request;
    response.write('{"text":"gr');
    setImmediate(() => {
      const said = JSON.stringify([method, url, headers.authorization, sent]);
      response.end(`ün","said":${said}}`);
    });
  });
  expect(await client.call('POST', '/runs', { job: 'a' })).toEqual({
    text: 'grün',
    said: ['POST', '/api/v1/runs', 'Bearer secret', '{"job":"a"}'],
  });
  await client.close();
});

it('fails with what a refusal says', async () => {
  const client = await clientOf((_request, response) => void response.writeHead(409).end('taken'));
  await expect(client.call('GET', '/runs')).rejects.toThrow('GET /runs: 409 taken');
  await client.close();
});
