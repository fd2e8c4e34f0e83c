import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inboxId } from '@signalbox/engine';
import { packHead } from '@signalbox/node';
import { type Doctor, PLATFORM } from '@signalbox/protocol';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiWorld, ROOT_KEY } from '../../packages/node/src/api/testing/api-world.ts';
import { createDatabase, describePostgres } from '../../tools/testing/postgres.ts';

interface Opened {
  readonly world: ApiWorld;
  readonly dataDir: string;
  /** Another node over the same store, as after a restart. */
  again(): Promise<ApiWorld>;
  /** Runs a statement behind the node's back; `signalbox.` is left out where there are no schemas. */
  change(sql: string): Promise<void>;
}

type Open = () => Promise<Opened>;

async function start(store: string, folder: string): Promise<ApiWorld> {
  const world = await ApiWorld.start({
    ...{ store, dataDir: folder },
    loop: { inboxPollMs: 3_600_000 },
    engine: { keysKept: 1 },
  });
  onTestFinished(async () => {
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return world;
}

const onSqlite: Open = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-answers-'));
  const path = join(dataDir, 'store.db');
  const world = await start(`file:${path}`, dataDir);
  const change = async (sql: string): Promise<void> => {
    const db = new DatabaseSync(path);
    db.exec(sql.replaceAll('signalbox.', ''));
    db.close();
  };
  const again = async (): Promise<ApiWorld> => {
    await world.stop();
    return start(`file:${path}`, dataDir);
  };
  return { world, dataDir, change, again };
};

const onPostgres: Open = async () => {
  const url = await createDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-answers-'));
  const world = await start(url, dataDir);
  const change = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  const again = async (): Promise<ApiWorld> => {
    await world.stop();
    return start(url, dataDir);
  };
  return { world, dataDir, change, again };
};

async function examine(world: ApiWorld): Promise<Doctor> {
  return (await world.ask('/doctor')).json<Doctor>();
}

function suite(open: Open): void {
  it('a damaged API key is unknown: 401, and the row is named', async () => {
    const { world, change } = await open();
    const body = { role: 'viewer' };
    const made = (await world.ask('/keys', { method: 'POST', tenant: 'acme', body })).json();
    const key = made['secret'] as string;
    await change(`update signalbox.definitions set author = 'eve' where kind = 'key'`);
    const answer = await world.ask('/jobs', { key });
    expect([answer.status, answer.error().code]).toEqual([401, 'unauthenticated']);
    const { damagedRows } = await examine(world);
    expect(damagedRows).toMatchObject([{ kind: 'definition' }]);
    expect(world.logged.join('')).toContain('row.damaged');
    const metrics = (await world.ask('/metrics')).text;
    expect(metrics).toContain('signalbox_damaged_rows_total{kind="definition"} 1');
  });

  it('a damaged tenant, webhook secret and key of cursors are replaced by saving or using them again', async () => {
    const { world, change, again } = await open();
    const damage = (kind: string) =>
      change(`update signalbox.definitions set author = 'eve' where kind = '${kind}'`);
    await world.ask('/tenants/acme', { method: 'PUT', body: { maxRunning: 3 } });
    await damage('tenant');
    const put = await world.ask('/tenants/acme', { method: 'PUT', body: { maxRunning: 4 } });
    expect(put.status).toBe(201);
    expect((await world.ask('/tenants/acme')).json()).toMatchObject({
      definition: { maxRunning: 4 },
    });
    const before = (await world.ask('/webhook-secret', { tenant: 'acme' })).text;
    await damage('webhook-secret');
    const after = await world.ask('/webhook-secret', { tenant: 'acme' });
    expect(after.status).toBe(200);
    expect(after.text).not.toBe(before);
    for (const name of ['a', 'b']) {
      await world.ask('/jobs', { body: { name, definition: {} }, tenant: 'acme' });
    }
    const list = () => world.ask('/jobs?limit=1', { tenant: 'acme' });
    expect((await list()).status).toBe(200);
    await damage('cursor-key');
    const restarted = await again();
    const page = await restarted.ask('/jobs?limit=1', { tenant: 'acme' });
    expect([page.status, page.json<{ next?: string }>().next]).toEqual([200, expect.any(String)]);
  });

  it('the id of a damaged inbox entry is refused with damaged, before and after it is moved', async () => {
    const { world, change } = await open();
    const { store } = world.node.context;
    const atMs = await store.now();
    const id = inboxId({ ms: atMs, partition: 0, randomHigh: 1, randomLow: 1 });
    const kind = 'submission';
    const place = { id, partition: 0, kind, tenant: 'default', job: 'echo', class: 1 } as const;
    const head = packHead({}, false);
    await store.putInbox({ ...place, head, input: null, key: null, atMs });
    expect((await world.ask(`/runs/${id}`)).status).toBe(200);
    await change(`update signalbox.inbox set tenant = 'eve'`);
    expect((await world.ask(`/runs/${id}`)).error().code).toBe('damaged');
    await store.readInbox({ partitions: [0], limit: 9 });
    expect((await world.ask(`/runs/${id}`)).error().code).toBe('damaged');
    expect((await world.ask(`/tasks/${id}:main/diagnosis`)).error().code).toBe('damaged');
  });

  it('a blob with other bytes is refused with damaged, and named once', async () => {
    const { world, dataDir } = await open();
    const raw = new TextEncoder().encode('payload');
    const headers = { 'content-type': 'application/octet-stream' };
    const put = await world.ask('/blobs', { method: 'PUT', raw, headers });
    const { name } = put.json<{ name: string }>();
    expect((await world.ask(`/blobs/${name}`)).text).toBe('payload');
    const [file] = readdirSync(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true })
      .filter((each) => each.name === name)
      .map((each) => join(each.parentPath, each.name));
    writeFileSync(file as string, 'PAYLOAD');
    for (let i = 0; i < 2; i++) {
      const answer = await world.ask(`/blobs/${name}`);
      expect([answer.status, answer.error().code]).toEqual([500, 'damaged']);
    }
    const { damagedRows } = await examine(world);
    expect(damagedRows).toMatchObject([{ id: `blob/${name}`, kind: 'blob', tenant: 'default' }]);
    const metrics = (await world.ask('/metrics')).text;
    expect(metrics).toContain('signalbox_damaged_rows_total{kind="blob"} 1');
    // The same payload again repairs it.
    await world.ask('/blobs', { method: 'PUT', raw, headers });
    expect((await world.ask(`/blobs/${name}`)).text).toBe('payload');
  });

  it('a damaged idempotency key is refused with damaged, and others of the same commit are not', async () => {
    const { world, change } = await open();
    await world.ask('/jobs', { method: 'POST', body: { name: 'echo' } });
    const submit = (idempotencyKey: string) =>
      world.ask('/runs', { method: 'POST', body: { job: 'echo', idempotencyKey } });
    expect((await submit('one')).status).toBe(201);
    await change(`update signalbox.keys set checksum = checksum + 1 where key = 'one'`);
    // Memory keeps one key: the store is asked for the first one.
    expect((await submit('two')).status).toBe(201);
    expect((await submit('three')).status).toBe(201);
    const [one, four] = await Promise.all([submit('one'), submit('four')]);
    expect([one?.status, one?.error().code]).toEqual([500, 'damaged']);
    expect(four?.status).toBe(201);
    expect((await examine(world)).damagedRows).toMatchObject([{ kind: 'key' }]);
  });

  it('damaged rows are forgotten by id and all at once, which the audit log records', async () => {
    const { world } = await open();
    const { store } = world.node.context;
    const row = { partition: 3, tenant: null, error: 'e', bytes: new Uint8Array(1) };
    for (const key of ['3/1', '3/2', '3/3']) await store.setAside({ kind: 'group', key, ...row });
    const forget = (body: unknown, key = ROOT_KEY) =>
      world.ask('/doctor/forget', { method: 'POST', body, key });
    expect((await forget({ id: 'group/3/2' })).json()).toEqual({ forgotten: 1 });
    expect((await forget({ id: 'group/3/2' })).status).toBe(404);
    for (const body of [{}, { id: 'group/3/1', all: true }]) {
      expect((await forget(body)).status).toBe(422);
    }
    expect((await examine(world)).damagedRows.map(({ id }) => id)).toEqual([
      'group/3/1',
      'group/3/3',
    ]);
    expect((await forget({ all: true })).json()).toEqual({ forgotten: 2 });
    expect((await examine(world)).damagedRows).toEqual([]);
    const audit = await store.readAudit({ tenant: PLATFORM, after: 0, limit: 99 });
    const entries = audit.filter(({ action }) => action === 'damaged_row.forget');
    expect(entries.map(({ target }) => target)).toEqual(['group/3/2', 'all']);
  });
}

describe('on a file', () => suite(onSqlite));
describePostgres('on PostgreSQL', () => suite(onPostgres));
