import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeLog } from '@signalbox/node/log';
import { readSettings } from '@signalbox/node/settings';
import type { Executor } from '@signalbox/worker';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../app.ts';
import { executorsOf, hiddenOf, loadJobs } from './worker-parts.ts';

type Attempt = Parameters<Executor['run']>[0];

let server: Server;
let port: number;
beforeEach(async () => {
  server = createServer((_request, response) => response.end('here'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(() => server.close());

/** What the `http` executor of a worker with these flags makes of a request to the server. */
async function requested(flags: Record<string, unknown>): Promise<unknown> {
  const open = { 'allow-http': true, 'http-plain': true, 'http-private': true };
  const settings = readSettings({
    parts: ['worker'],
    flags: { ...open, ...flags },
    environment: {},
  });
  const [http] = await executorsOf(settings, {
    cwd: '.',
    log: makeLog({ level: 'silent', format: 'json' }),
    umask: 0o022,
  });
  const assign = { id: 'a', run: 'r', tenant: 't', idempotencyKey: 'k', ref: [0, 1, 0, 1, 1, 1] };
  const attempt = {
    assign: { ...assign, work: { http: { url: `http://127.0.0.1:${port}/` } } },
    input: null,
    signal: new AbortController().signal,
    log: () => {},
  } as unknown as Attempt;
  return http?.run(attempt);
}

describe('the executors of a worker', () => {
  it('send HTTP requests to the ports that --http-ports names, and to no others', async () => {
    expect(await requested({ 'http-ports': `443,${port}` })).toMatchObject({ kind: 'succeeded' });
    expect(await requested({ 'http-ports': `${port - 1}-${port + 1}` })).toMatchObject({
      kind: 'succeeded',
    });
    for (const flags of [{}, { 'http-ports': `443,${port + 1}` }]) {
      expect(await requested(flags)).toMatchObject({
        kind: 'failed',
        class: 'permanent',
        error: expect.stringContaining(`port ${port} is not allowed`),
      });
    }
  });

  it('reach no internal address through an open port', async () => {
    const closed = { 'http-private': false, 'http-ports': String(port) };
    expect(await requested(closed)).toMatchObject({
      kind: 'failed',
      error: expect.stringContaining('target_not_allowed'),
    });
  });
});

describe('the jobs of a worker', () => {
  it('are not read from a file of definitions, which has no handlers', () => {
    const settings = readSettings({
      parts: ['worker'],
      flags: { jobs: 'a.yaml' },
      environment: {},
    });
    const load = () => loadJobs({ cwd: '/' } as App, settings);
    expect(load).toThrow('a.yaml is not a module');
  });
});

it('commands do not see the data folder, nor a store file elsewhere', () => {
  expect(hiddenOf('/srv', { data: '.signalbox', store: null })).toEqual(['/srv/.signalbox']);
  expect(hiddenOf('/srv', { data: '/data', store: 'file:own.db' })).toEqual([
    '/data',
    '/srv/own.db',
    '/srv/own.db-wal',
    '/srv/own.db-shm',
  ]);
  expect(hiddenOf('/srv', { data: '/data', store: 'postgres://db/x' })).toEqual(['/data']);
});
