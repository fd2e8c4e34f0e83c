import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ApiWorld, ROOT_KEY } from './api/testing/api-world.ts';
import { openStore } from './open-store.ts';
import { startNode } from './start-node.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-node-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const http = { host: '127.0.0.1', port: 0 };

describe('a node', () => {
  it('goes on where it stopped: jobs, runs, keys, tenants and blobs are still there', async () => {
    const store = `file:${join(folder, 'data', 'signalbox.sqlite')}`;
    const first = await ApiWorld.start({ store });
    const key = await first.makeKey('operator', 'acme');
    await first.ask('/tenants/acme', { method: 'PUT', body: { weight: 4 } });
    await first.ask('/jobs', { body: { name: 'hello', definition: {} }, key });
    const run = (await first.ask('/runs', { body: { job: 'hello', input: 'x' }, key })).json<{
      id: string;
    }>();
    const blob = (await first.ask('/blobs', { method: 'PUT', raw: 'large', key })).json<{
      name: string;
    }>();
    await first.stop();

    const second = await ApiWorld.start({ store });
    expect((await second.ask('/jobs/hello', { key })).status).toBe(200);
    expect((await second.ask(`/runs/${run.id}`, { key })).json()).toMatchObject({ job: 'hello' });
    expect((await second.ask(`/blobs/${blob.name}`, { key })).text).toBe('large');
    expect(second.node.context.loop.engine.core.ofTenant('acme', 1).weight).toBe(4);
    await second.stop();
  });

  it('is ready when it owns its partitions, and its leases are free once it has stopped', async () => {
    const node = await startNode({ store: 'memory:', http: false, partitions: 4 });
    await node.ready();
    for (let p = 0; p < 4; p++) expect(node.context.loop.owns(p)).toBe(true);
    const { store } = node.context;
    await node.stop();
    const now = await store.now();
    const leases = await store.listLeases();
    expect(leases.filter((lease) => lease.expiresAtMs > now)).toEqual([]);
  });

  it('that cannot read the journal of a partition starts without it, and names the place', async () => {
    const address = `file:${join(folder, 'broken.sqlite')}`;
    const store = await openStore(address);
    await store.migrate();
    const [partition, owner] = [0, 'before'];
    const lease = await store.acquireLease({ partition, owner, ttlMs: 1, commitId: 'c0' });
    if (lease.kind !== 'acquired') throw new Error('the lease is taken');
    const text = new TextEncoder().encode('[1,0,[],[]]\n["x1",1,0,0,1,Infinity]');
    const body = new Uint8Array(4 + text.length);
    new DataView(body.buffer).setUint32(0, text.length);
    body.set(text, 4);
    const part = { partition, epoch: lease.epoch, seq: lease.seq + 1, atMs: Date.now(), body };
    const rows = { factCount: 1, runs: [], ends: [], parked: [], inboxTaken: [], aliases: [] };
    await store.append({ commitId: 'c1', parts: [{ ...part, ...rows }] });
    await store.close();
    const node = await startNode({ store: address, http: false, partitions: 2 });
    await node.ready();
    const { loop, store: opened } = node.context;
    expect(loop.owns(1)).toBe(true);
    expect(loop.stoppedPartitions.get(0)).toMatch(
      /the journal of partition 0 cannot be read: group 2 cannot be read: fact 1 is not JSON/,
    );
    const damaged = await opened.listDamagedRows({ after: null, limit: 9 });
    expect(damaged).toMatchObject([{ kind: 'group', partition: 0 }]);
    await node.stop();
  });

  it('without HTTP needs no key and listens nowhere', async () => {
    const node = await startNode({ store: 'memory:', http: false });
    expect(node.url).toBeNull();
    await node.stop();
  });

  it.each([undefined, '', 'changeme'])(
    'h77 refuses to listen with the root key %j',
    async (rootKey) => {
      const options = { store: 'memory:', http, ...(rootKey === undefined ? {} : { rootKey }) };
      await expect(startNode(options)).rejects.toThrow(/^the root key \(SIGNALBOX_KEY\) [^\n]+$/);
    },
  );

  it('that cannot listen leaves nothing behind: another may start on the same file at once', async () => {
    const store = `file:${join(folder, 'signalbox.sqlite')}`;
    const other = await ApiWorld.start();
    const { port } = new URL(other.url);
    const taken = { host: '127.0.0.1', port: Number(port) };
    await expect(startNode({ store, http: taken, rootKey: ROOT_KEY })).rejects.toThrow(
      'EADDRINUSE',
    );
    await other.stop();
    const startedAt = performance.now();
    const world = await ApiWorld.start({ store, partitions: 16 });
    // The leases of a node that was not stopped would have to run out first.
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    await world.stop();
  });

  it('does not start on a store that is none, and does not repeat its password', async () => {
    await expect(openStore('mysql://root:hunter2@db/x')).rejects.toThrow(/^mysql: is not a store/);
    await expect(openStore('mysql://root:hunter2@db/x')).rejects.not.toThrow(/hunter2/);
  });

  it('stops once however often it is told to, and does not wait for streams or idle connections', async () => {
    const world = await ApiWorld.start();
    await world.ask('/health');
    const job = { name: 'slow', definition: {} };
    await world.ask('/jobs', { body: job });
    const { id } = (await world.ask('/runs', { body: { job: 'slow' } })).json<{ id: string }>();
    const waiting = world.ask(`/runs/${id}?wait=60000`).catch(() => 'cut off');
    const startedAt = performance.now();
    await Promise.all([world.stop(), world.stop()]);
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    await waiting;
    await expect(world.ask('/health')).rejects.toThrow();
  });

  it('has a worker link, which a revoked key loses within five seconds', async () => {
    const world = await ApiWorld.start();
    const made = (await world.ask('/keys', { body: { role: 'worker' } })).json<{
      id: string;
      secret: string;
    }>();
    const url = `${world.url.replace('http', 'ws')}/api/v1/worker`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${made.secret}` } });
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    const startedAt = performance.now();
    await world.ask(`/keys/${made.id}`, { method: 'DELETE', tenant: '*' });
    expect(await closed).toBe(4401);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await world.stop();
  });

  it('refuses a worker link to keys that are not for workers', async () => {
    const world = await ApiWorld.start();
    const url = `${world.url.replace('http', 'ws')}/api/v1/worker`;
    const statusFor = (key: string) =>
      new Promise<number>((resolve) => {
        const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
        socket.on('unexpected-response', (_, response) => resolve(response.statusCode as number));
        socket.on('open', () => resolve(101));
        socket.on('error', () => {});
      });
    expect(await statusFor(await world.makeKey('admin', 'acme'))).toBe(403);
    expect(await statusFor('sbx_wrong')).toBe(401);
    expect(await statusFor(ROOT_KEY)).toBe(101);
    await world.stop();
  });
});
