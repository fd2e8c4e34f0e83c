import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RunView } from '@signalbox/protocol';
import { httpExecutor, Worker } from '@signalbox/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectInProcess } from '../gateway/in-process.ts';
import { ApiWorld } from './testing/api-world.ts';

/** What arrived at the channel: path, body and when. */
interface Delivered {
  readonly path: string;
  readonly body: string;
  readonly at: number;
}

let world: ApiWorld;
let worker: Worker;
let server: Server;
const delivered: Delivered[] = [];
/** How often a path is still to be refused. */
const refusals = new Map<string, number>();

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const left = refusals.get(path) ?? 0;
    refusals.set(path, left - 1);
    delivered.push({ path, body: await text(request), at: Date.now() });
    response.writeHead(left > 0 ? 503 : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const targets = { allowHttp: true, allowPrivate: true, ports: 'any' } as const;
  world = await ApiWorld.start({ httpTargets: targets });
  const transport = connectInProcess(world.node.gateway);
  const executors = [httpExecutor(targets)];
  worker = new Worker({ name: 'w', transport, executors, total: { slots: 200 } });
  await worker.start();
});
afterAll(async () => {
  await worker.stop({ graceMs: 0 });
  await world.stop();
  server.close();
});

const ask: ApiWorld['ask'] = (path, request) => world.ask(path, { tenant: 'acme', ...request });

/** A channel is a job with one request. */
async function channel(name: string, maxAttempts = 5): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const retry = { maxAttempts, backoff: { type: 'fixed', delay: 1 }, onExhausted: 'fail' };
  const http = { url: `http://127.0.0.1:${port}/${name}`, method: 'POST' };
  const definition = { tasks: [{ name: 'main', http, retry }] };
  const made = await ask('/jobs', { body: { name, definition } });
  expect(made.status, made.text).toBe(201);
}

async function schedule(name: string, message: { runAt: string; input: unknown }): Promise<string> {
  const made = await ask('/runs', { body: { job: name, ...message } });
  expect(made.status, made.text).toBe(201);
  return made.json<{ id: string }>().id;
}

const ended = async (id: string) => (await ask(`/runs/${id}?wait=20000`)).json<RunView>();
const to = (name: string) => delivered.filter(({ path }) => path === `/${name}`);

describe('a delayed message', () => {
  it('MSG-01 reaches its channel with its payload, once and not before its time', async () => {
    await channel('orders');
    // The first request loads what HTTP needs.
    await ended(await schedule('orders', { runAt: new Date().toISOString(), input: 'first' }));
    delivered.length = 0;
    const base = Date.now() + 2_000;
    const times = Array.from({ length: 100 }, (_, i) => base + i * 20);
    const items = times.map((at, n) => {
      return { job: 'orders', runAt: new Date(at).toISOString(), input: { n, at } };
    });
    const made = await ask('/runs/batch', { body: { items } });
    expect(made.status).toBe(200);
    const ids = made.json<{ items: { id: string }[] }>().items.map(({ id }) => id);
    for (const id of ids) expect((await ended(id)).state).toBe('SUCCEEDED');
    const messages = to('orders').map(({ body, at }) => {
      const message = JSON.parse(body) as { n: number; at: number };
      return { ...message, lateMs: at - message.at };
    });
    expect(messages.map(({ n }) => n).sort((a, b) => a - b)).toEqual(times.map((_, n) => n));
    expect(Math.min(...messages.map(({ lateMs }) => lateMs))).toBeGreaterThanOrEqual(0);
  });

  it('MSG-02 that is cancelled before its time is never sent; one that was delivered answers with a conflict', async () => {
    await channel('mails');
    const runAt = new Date(Date.now() + 1_000).toISOString();
    const kept = await schedule('mails', { runAt, input: 'kept' });
    const dropped = await schedule('mails', { runAt, input: 'dropped' });
    expect((await ask(`/runs/${dropped}/cancel`, { body: {} })).status).toBe(200);
    expect((await ended(dropped)).state).toBe('CANCELLED');
    // Both were due at the same millisecond: the second would be there as well.
    expect((await ended(kept)).state).toBe('SUCCEEDED');
    expect(to('mails').map(({ body }) => body)).toEqual(['"kept"']);
    const late = await ask(`/runs/${kept}/cancel`, { body: {} });
    expect(late.status).toBe(409);
    expect(late.error().code).toBe('not_running');
  });

  it('MSG-05 is pending, then delivered or failed, by what the channel answers; a refusal is tried again by policy', async () => {
    await channel('flaky');
    await channel('broken', 3);
    refusals.set('/flaky', 2);
    refusals.set('/broken', 100);
    const runAt = new Date(Date.now() + 500).toISOString();
    const [flaky, broken] = await Promise.all(
      ['flaky', 'broken'].map((name) => schedule(name, { runAt, input: name })),
    );
    for (const id of [flaky, broken]) {
      expect((await ask(`/runs/${id}`)).json<RunView>().state).toBe('PENDING');
    }
    expect((await ended(flaky!)).state).toBe('SUCCEEDED');
    expect(to('flaky')).toHaveLength(3);
    expect((await ended(broken!)).state).toBe('FAILED');
    expect(to('broken')).toHaveLength(3);
  });
});
