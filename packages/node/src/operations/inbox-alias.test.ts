import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Submitted } from '@signalbox/protocol';
import type { Store } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { createPostgresStore } from '@signalbox/store/postgres';
import { createSqliteStore } from '@signalbox/store/sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { createDatabase, hasPostgres } from '../../../../tools/testing/postgres.ts';
import { getRun, submitRuns } from './index.ts';
import { caller, SmallNode, SUCCEED, turn } from './testing/small-node.ts';

const folders: string[] = [];
const opened: Store[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const stores = [
  { name: 'memory', open: async () => createMemoryStore({ now: () => Date.now() }) },
  {
    name: 'SQLite',
    open: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'signalbox-alias-'));
      folders.push(folder);
      return createSqliteStore({ path: join(folder, 'alias.db') });
    },
  },
  {
    name: 'PostgreSQL',
    open: async () => createPostgresStore({ url: await createDatabase() }),
  },
];

async function openStore(open: () => Promise<Store>): Promise<Store> {
  const store = await open();
  opened.push(store);
  await store.migrate();
  return store;
}

async function inboxIsEmpty(store: Store): Promise<void> {
  const query = { partitions: [0, 1, 2, 3], limit: 1 };
  while ((await store.readInbox(query)).length > 0) await turn();
}

/** What keeps the holder of the key where: still live in memory, or ended and only in the store. */
const holders = [
  { where: 'lives in memory', ends: false },
  { where: 'has ended', ends: true },
];

describe.each(stores)('an inbox entry that was a run already, on $name', ({ name, open }) => {
  const on = it.skipIf(name === 'PostgreSQL' && !hasPostgres);

  on.each(holders)('DUR-06 is found under its alias where the run $where', async ({ ends }) => {
    const store = await openStore(open);
    let node = await SmallNode.start({ store, loop: { inboxPollMs: 100_000 } });
    await node.define('mail');
    const one = { items: [{ job: 'mail', key: 'k' }], single: true };
    const many = { items: Array(3).fill({ job: 'mail' }), key: 'request' };
    const asked = SmallNode.idle({ store });
    const aliases: Submitted[] = [];
    for (const params of [one, many]) {
      aliases.push(...(await submitRuns(asked.context, caller(), params)));
    }
    expect(aliases.every(({ created }) => created)).toBe(true);
    if (ends) node.attach('w', SUCCEED);
    const direct: Submitted[] = [];
    for (const params of [one, many]) {
      direct.push(...(await submitRuns(node.context, caller(), params)));
    }
    expect(direct.every(({ created }) => created)).toBe(true);
    if (ends) {
      for (const { id } of direct) await getRun(node.context, caller(), { id, waitMs: 5_000 });
    }
    await node.stop();
    node = await SmallNode.start({ store, loop: { inboxPollMs: 5 } });
    await inboxIsEmpty(store);
    for (const [i, { id }] of aliases.entries()) {
      const view = await getRun(node.context, caller(), { id });
      expect(view.id).toBe(direct[i]?.id);
    }
    await node.stop();
  });

  on('DUR-06 is found under its alias where it met a live run with its unique value', async () => {
    const store = await openStore(open);
    const node = await SmallNode.start({ store, loop: { inboxPollMs: 5 } });
    await node.define('mail');
    const id = await node.submit({ job: 'mail', unique: 'u' });
    const asked = SmallNode.idle({ store });
    const alias = await asked.submit({ job: 'mail', unique: 'u' });
    await inboxIsEmpty(store);
    expect((await getRun(node.context, caller(), { id: alias })).id).toBe(id);
    await node.stop();
  });
});
