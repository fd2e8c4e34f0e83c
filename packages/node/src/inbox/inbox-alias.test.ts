import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Submitted } from '@signalbox/protocol';
import type { Store } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { createPostgresStore } from '@signalbox/store/postgres';
import { createSqliteStore } from '@signalbox/store/sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createDatabase, hasPostgres } from '../../../../tools/testing/postgres.ts';
import { cancelRun, getRun, submitRuns } from '../operations/index.ts';
import { caller, SmallNode, turn } from '../operations/testing/small-node.ts';

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

/** Jobs of the partition of `mail` and of others. */
const OTHERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

async function inboxIsEmpty(store: Store): Promise<void> {
  const query = { partitions: [0, 1, 2, 3], limit: 1 };
  while ((await store.readInbox(query)).length > 0) await turn();
}

describe.each(stores)('a submission that waits in the inbox, on $name', ({ name, open }) => {
  const on = it.skipIf(name === 'PostgreSQL' && !hasPostgres);

  on('DUR-06 is the same one at the owner, before it is taken and after', async () => {
    const store = await openStore(open);
    let node = await SmallNode.start({ store, loop: { inboxPollMs: 100_000 } });
    await node.define('mail');
    const one = { items: [{ job: 'mail', idempotencyKey: 'k' }], single: true };
    const many = { items: Array(3).fill({ job: 'mail' }), key: 'request' };
    const submit = async (at: SmallNode): Promise<Submitted[]> => [
      ...(await submitRuns(at.context, caller(), one)),
      ...(await submitRuns(at.context, caller(), many)),
    ];
    const asked = SmallNode.idle({ store });
    const aliases = await submit(asked);
    expect(aliases.every(({ created }) => created)).toBe(true);
    const same = aliases.map((each) => ({ ...each, created: false }));
    expect(await submit(asked)).toEqual(same);
    expect(await submit(node)).toEqual(same);
    await node.stop();
    node = await SmallNode.start({ store, loop: { inboxPollMs: 5 } });
    await inboxIsEmpty(store);
    const views = await Promise.all(
      aliases.map(({ id }) => getRun(node.context, caller(), { id })),
    );
    const runs = views.map(({ id, job }) => ({ id, job, created: false }));
    expect(new Set(runs.map(({ id }) => id)).size).toBe(4);
    expect(await submit(node)).toEqual(runs);
    expect(await submit(asked)).toEqual(runs);
    await node.stop();
  });

  on('DUR-06 keeps its key from other jobs, on whichever node they come in', async () => {
    const store = await openStore(open);
    const node = await SmallNode.start({ store, loop: { inboxPollMs: 100_000 } });
    for (const job of ['mail', ...OTHERS]) await node.define(job);
    const asked = SmallNode.idle({ store });
    const alias = await asked.submit({ job: 'mail', idempotencyKey: 'k' });
    for (const job of OTHERS) {
      const item = { job, idempotencyKey: 'k' };
      for (const at of [node, asked]) {
        const other = submitRuns(at.context, caller(), { items: [item], single: true });
        await expect(other).rejects.toMatchObject({
          code: 'idempotency_conflict',
          field: 'idempotencyKey',
        });
        // In a batch a key of its own names the submission that has it.
        expect(await submitRuns(at.context, caller(), { items: [item] })).toEqual([
          { id: alias, job: 'mail', created: false },
        ]);
      }
    }
    node.context.loop.lookIntoInbox();
    await inboxIsEmpty(store);
    expect((await getRun(node.context, caller(), { id: alias })).job).toBe('mail');
    await node.stop();
  });

  on('DUR-06 of one key at three nodes at once is created once', async () => {
    const store = await openStore(open);
    const node = await SmallNode.start({ store, loop: { inboxPollMs: 5 } });
    await node.define('mail');
    const nodes = [node, SmallNode.idle({ store }), SmallNode.idle({ store })];
    for (let i = 0; i < 10; i++) {
      const params = { items: [{ job: 'mail', idempotencyKey: `k${i}` }], single: true };
      const told = await Promise.all(
        nodes.map(({ context }) => submitRuns(context, caller(), params)),
      );
      expect(told.flat().filter(({ created }) => created)).toHaveLength(1);
      await inboxIsEmpty(store);
      const views = await Promise.all(
        told.flat().map(({ id }) => getRun(node.context, caller(), { id })),
      );
      expect(new Set(views.map(({ id }) => id)).size).toBe(1);
    }
    await node.stop();
  });

  on('I1 keeps its run where a client uses its id as the key of another submission', async () => {
    const store = await openStore(open);
    const node = await SmallNode.start({ store, loop: { inboxPollMs: 100_000 } });
    for (const job of ['mail', 'next']) await node.define(job);
    const asked = SmallNode.idle({ store });
    const alias = await asked.submit({ job: 'mail' });
    const params = { items: [{ job: 'next', idempotencyKey: alias }], single: true };
    const [next] = await submitRuns(node.context, caller(), params);
    expect(next?.created).toBe(true);
    node.context.loop.lookIntoInbox();
    await inboxIsEmpty(store);
    expect((await getRun(node.context, caller(), { id: alias })).job).toBe('mail');
    // The other way round as well: the id is the name of its run, and no key.
    const [after] = await submitRuns(node.context, caller(), {
      items: [{ job: 'mail', idempotencyKey: await asked.submit({ job: 'mail' }) }],
    });
    expect(after?.created).toBe(true);
    expect(await submitRuns(node.context, caller(), params)).toEqual([{ ...next, created: false }]);
    await node.stop();
  });

  on('is found under its alias, however many wait before it', async () => {
    const store = await openStore(open);
    const node = await SmallNode.start({ store, loop: { inboxPollMs: 100_000 } });
    await node.define('mail');
    const asked = SmallNode.idle({ store });
    const first = await asked.submit({ job: 'mail' });
    vi.spyOn(store, 'readInbox').mockRejectedValue(new Error('no walk over the inbox'));
    expect((await getRun(asked.context, caller(), { id: first })).state).toBe('PENDING');
    vi.restoreAllMocks();
    await node.stop();
  });

  on('DUR-06 is found under its alias where it met a live run with its unique value', async () => {
    const store = await openStore(open);
    const node = await SmallNode.start({ store, loop: { inboxPollMs: 5 } });
    await node.define('mail');
    const id = await node.submit({ job: 'mail', uniqueKey: 'u' });
    const asked = SmallNode.idle({ store });
    const alias = await asked.submit({ job: 'mail', uniqueKey: 'u' });
    await inboxIsEmpty(store);
    expect((await getRun(node.context, caller(), { id: alias })).id).toBe(id);
    await node.stop();
  });

  on('DUR-07 is pending, not created, while its owner may find a live run for it', async () => {
    const store = await openStore(open);
    const node = await SmallNode.start({ store, loop: { inboxPollMs: 100_000 } });
    await node.define('mail');
    await node.define('alone', { overlap: 'skip' });
    const asked = SmallNode.idle({ store });
    const items = [{ job: 'mail', uniqueKey: 'u' }, { job: 'alone' }, { job: 'mail' }];
    const runs = await submitRuns(node.context, caller(), { items });
    expect(runs.map(({ created }) => created)).toEqual([true, true, true]);
    const told = await submitRuns(asked.context, caller(), { items });
    expect(told.map(({ created, pending }) => [created, pending])).toEqual([
      [false, true],
      [false, true],
      [true, undefined],
    ]);
    node.context.loop.lookIntoInbox();
    await inboxIsEmpty(store);
    const views = await Promise.all(told.map(({ id }) => getRun(node.context, caller(), { id })));
    expect(views.slice(0, 2).map(({ id }) => id)).toEqual(runs.slice(0, 2).map(({ id }) => id));
    expect(views[2]?.id).not.toBe(runs[2]?.id);
    await node.stop();
  });

  on('TRG-27 stays a new run where its job excludes overlap before it is taken', async () => {
    const store = await openStore(open);
    let node = await SmallNode.start({ store, loop: { inboxPollMs: 100_000 } });
    await node.define('mail');
    const asked = SmallNode.idle({ store });
    const told = [
      ...(await submitRuns(asked.context, caller(), { items: [{ job: 'mail' }] })),
      ...(await submitRuns(asked.context, caller(), {
        items: Array(3).fill({ job: 'mail' }),
        key: 'request',
      })),
    ];
    expect(told.map(({ created }) => created)).toEqual([true, true, true, true]);
    await node.define('mail', { overlap: 'skip' });
    await node.stop();
    node = await SmallNode.start({ store, loop: { inboxPollMs: 5 } });
    await inboxIsEmpty(store);
    const views = await Promise.all(told.map(({ id }) => getRun(node.context, caller(), { id })));
    expect(new Set(views.map(({ id }) => id)).size).toBe(4);
    expect(views.map(({ job }) => job)).toEqual(Array(4).fill('mail'));
    await node.stop();
  });

  on('DUR-06 is a new run under a new alias where retention has forgotten its key', async () => {
    const store = await openStore(open);
    const node = await SmallNode.start({ store, loop: { inboxPollMs: 5 } });
    await node.define('mail');
    const asked = SmallNode.idle({ store });
    const send = async (): Promise<string> => {
      const id = await asked.submit({ job: 'mail', idempotencyKey: 'k' });
      await inboxIsEmpty(store);
      return id;
    };
    const first = await send();
    const before = await getRun(node.context, caller(), { id: first });
    await cancelRun(node.context, caller(), { id: before.id, reason: '' });
    const query = { beforeMs: Date.now() + 60_000, after: null, limit: 100 };
    expect((await store.forgetKeys(query)).forgotten).toBe(2);
    const second = await send();
    expect(second).not.toBe(first);
    expect((await getRun(node.context, caller(), { id: second })).id).not.toBe(before.id);
    await node.stop();
  });
});
