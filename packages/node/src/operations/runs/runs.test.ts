import { type Store, StoreError } from '@signalbox/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  cancelRun,
  changePriority,
  getRun,
  listRuns,
  pauseJob,
  retryRun,
  submitRuns,
} from '../index.ts';
import { bytes, caller, HOLD, SmallNode, SUCCEED } from '../testing/small-node.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
  await node.define('mail');
});
afterEach(() => node.stop());

const read = (id: string, waitMs?: number) =>
  getRun(node.context, caller(), waitMs === undefined ? { id } : { id, waitMs });

describe('submission', () => {
  it('TRG-01 a run without a time starts at once and ends without a further call, as one run', async () => {
    node.attach('w', SUCCEED);
    const ended = Promise.withResolvers<void>();
    const stopWatching = node.feed.watch({ tenant: 'acme' }, ({ kind }) => {
      if (kind === 'runEnded') ended.resolve();
    });
    const id = await node.submit({ job: 'mail' });
    await ended.promise;
    stopWatching();
    expect(await read(id, 0)).toMatchObject({ id, state: 'SUCCEEDED' });
    expect(node.disk.snapshot().runs).toHaveLength(1);
    expect(node.attempts).toHaveLength(1);
  });

  it('API-02 accepts a run, waits for its end without polling and shows it with names', async () => {
    node.attach('w', () => ({ kind: 'succeeded', output: bytes('{"sent":1}') }));
    const id = await node.submit({ job: 'mail', input: { to: 'ann' } });
    const run = await read(id, 5_000);
    expect(run).toMatchObject({
      id,
      job: 'mail',
      jobVersion: 1,
      priority: 'P1',
      state: 'SUCCEEDED',
      trigger: { kind: 'api', by: 'tester' },
      output: { sent: 1 },
      tasks: [{ id: `${id}:main`, name: 'main', state: 'SUCCEEDED' }],
    });
    expect(run.tasks[0]?.attempts).toMatchObject([
      { id: `${id}:main:1`, number: 1, worker: 'w', outcome: 'succeeded' },
    ]);
    expect(new TextDecoder().decode(node.attempts[0]?.task.run.input ?? undefined)).toBe(
      '{"to":"ann"}',
    );
  });

  it('API-11 P2 is sent away while much waits, and P1 is taken', async () => {
    const { mailboxMax } = node.context.loop.settings;
    const flood = Array.from({ length: mailboxMax * 0.6 }, () => ({ kind: 'tick' }) as const);
    const decided = node.context.loop.executeAll(flood);
    const submit = (priority: 'P1' | 'P2') =>
      submitRuns(node.context, caller(), { items: [{ job: 'mail', priority }] });
    await expect(submit('P2')).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 });
    expect(await submit('P1')).toHaveLength(1);
    await decided;
    expect(await submit('P2')).toHaveLength(1);
  });

  it('DUR-06 a key of a run of another job is a conflict, and never called a run of this one', async () => {
    await node.define('bill');
    const items = [{ job: 'mail', idempotencyKey: 'k1' }];
    const [first] = await submitRuns(node.context, caller(), { items });
    const again = submitRuns(node.context, caller(), {
      items: [{ job: 'bill', idempotencyKey: 'k1' }],
      single: true,
    });
    await expect(again).rejects.toMatchObject({
      code: 'idempotency_conflict',
      field: 'idempotencyKey',
    });
    const batch = await submitRuns(node.context, caller(), {
      items: [{ job: 'bill', idempotencyKey: 'k1' }],
    });
    expect(batch).toEqual([{ id: first?.id, job: 'mail', created: false }]);
  });

  it('h33 DUR-06 the same key a thousand times at once makes one run', async () => {
    const sent = await Promise.all(
      Array.from({ length: 1_000 }, () =>
        submitRuns(node.context, caller(), { items: [{ job: 'mail', idempotencyKey: 'order-1' }] }),
      ),
    );
    const all = sent.flat();
    expect(all.filter((each) => each.created)).toHaveLength(1);
    expect(new Set(all.map((each) => each.id)).size).toBe(1);
    expect(node.disk.snapshot().runs).toHaveLength(1);
  });

  it('h13 one bad item and nothing of the batch exists', async () => {
    const items = Array.from({ length: 100 }, (_, i) => ({ job: i === 57 ? 'theirs' : 'mail' }));
    await expect(submitRuns(node.context, caller(), { items })).rejects.toMatchObject({
      code: 'not_found',
      field: 'items[57].job',
    });
    const bad = items.map((item, i) => ({
      ...item,
      job: 'mail',
      ...(i === 99 ? { idempotencyKey: '\0' } : {}),
    }));
    await expect(submitRuns(node.context, caller(), { items: bad })).rejects.toMatchObject({
      code: 'invalid',
      field: 'items[99].idempotencyKey',
    });
    expect(node.disk.snapshot().runs).toEqual([]);
  });

  it('h31 takes a due time up to ten years ahead, shows it, and never starts it early', async () => {
    node.attach('w', SUCCEED);
    const id = await node.submit({ job: 'mail', delay: 2 ** 31 });
    await expect(node.submit({ job: 'mail', delay: 3_155_760_000_000 })).rejects.toMatchObject({
      code: 'invalid',
      field: 'items[0].delay',
    });
    const far = new Date(Date.now() + 100 * 365 * 86_400_000).toISOString();
    await expect(node.submit({ job: 'mail', runAt: far })).rejects.toMatchObject({
      field: 'items[0].runAt',
    });
    await node.context.loop.flushed();
    expect((await read(id)).state).toBe('PENDING');
    expect(node.attempts).toHaveLength(0);
    const soon = await node.submit({ job: 'mail', delay: 60_000 });
    const [task] = (await read(soon)).tasks;
    expect(Date.parse(task?.runAt ?? '')).toBeGreaterThan(Date.now() + 50_000);
    const later = await node.submit({ job: 'mail', delay: '1h' });
    expect(Date.parse((await read(later)).tasks[0]?.runAt ?? '')).toBeGreaterThan(
      Date.now() + 3_500_000,
    );
    const both = node.submit({ job: 'mail', delay: '1h', runAt: '2030-01-31' });
    await expect(both).rejects.toMatchObject({ code: 'invalid', field: 'items[0].delay' });
    const date = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const [dated] = (await read(await node.submit({ job: 'mail', runAt: date }))).tasks;
    expect(dated?.runAt).toBe(`${date}T00:00:00.000Z`);
  });

  it('a paused job takes no submission, an absent one is not there', async () => {
    await pauseJob(node.context, caller(), { name: 'mail' });
    await expect(node.submit({ job: 'mail' })).rejects.toMatchObject({ code: 'job_paused' });
    await expect(node.submit({ job: 'nothing' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('EXT-19 a payload of 10 MB and one that looks like a reference reach the task whole', async () => {
    const large = new Uint8Array(10_000_000).fill(7);
    node.attach('w', HOLD);
    await node.submit({ job: 'mail', inputBytes: large });
    await node.arrived(1);
    const kept = node.attempts[0]?.task.run.input as Uint8Array;
    expect(kept.length).toBeLessThan(300);
    await node.submit({ job: 'mail', inputBytes: kept });
    await node.arrived(2);
    expect(node.attempts[1]?.task.run.input).not.toEqual(kept);
  });

  it('DUR-06 keeps a submission for the owner where this node is not it, and finds it by its alias', async () => {
    await node.stop();
    // A node that has not taken anything over yet, on the same store.
    const { context } = SmallNode.idle({ disk: node.disk });
    const put = (key: string) =>
      submitRuns(context, caller(), { items: [{ job: 'mail', idempotencyKey: key }] });
    const [first] = await put('k');
    const [again] = await put('k');
    expect(again?.id).toBe(first?.id);
    const alias = first?.id as string;
    expect(await getRun(context, caller(), { id: alias })).toMatchObject({
      id: alias,
      job: 'mail',
      state: 'PENDING',
      idempotencyKey: 'k',
    });
    await expect(getRun(context, caller({ tenant: 'other' }), { id: alias })).rejects.toMatchObject(
      { code: 'not_found' },
    );
    node = await SmallNode.start({ disk: node.disk, loop: { inboxPollMs: 20 } });
    node.attach('w', SUCCEED);
    // Waits for the owner to take it in, and then for its end.
    const run = await read(alias, 5_000);
    expect(run).toMatchObject({ state: 'SUCCEEDED', idempotencyKey: 'k' });
    expect(await put('k')).toEqual([{ id: run.id, job: 'mail', created: false }]);
    expect(node.disk.snapshot().runs).toHaveLength(1);
  });

  it('a batch of which one entry was put before the store failed may be done, and is not refused', async () => {
    await node.stop();
    const { context } = SmallNode.idle({ disk: node.disk });
    const { store } = context;
    let puts = 0;
    const putInbox: Store['putInbox'] = async (entry) => {
      if (++puts === 2) throw new StoreError('unavailable', 'gone');
      return store.putInbox(entry);
    };
    const failing = { ...context, store: { ...store, putInbox } };
    const items = [{ job: 'mail' }, { job: 'mail' }];
    const submitted = submitRuns(failing, caller(), { items });
    await expect(submitted).rejects.toMatchObject({ code: 'unknown' });
    const query = { partitions: [0, 1, 2, 3], limit: 10 };
    expect(await store.readInbox(query)).toHaveLength(1);
  });
});

describe('changes to a run', () => {
  it('cancels a live run, and says of an ended one that it is not running', async () => {
    const id = await node.submit({ job: 'mail' });
    const run = await cancelRun(node.context, caller(), { id, reason: 'not needed' });
    expect(run.state).toBe('CANCELLED');
    await expect(cancelRun(node.context, caller(), { id })).rejects.toMatchObject({
      code: 'not_running',
    });
  });

  it("another tenant's run answers exactly like an absent one", async () => {
    const id = await node.submit({ job: 'mail' });
    const stranger = caller({ tenant: 'other' });
    const absent = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
    const tell = (text: string) =>
      Promise.all(
        [getRun, cancelRun, retryRun].map((operation) =>
          operation(node.context, stranger, { id: text }).then(
            () => 'answered',
            (error: { code: string; message: string }) =>
              `${error.code} ${error.message.replace(text, 'ID')}`,
          ),
        ),
      );
    expect(await tell(id)).toEqual(await tell(absent));
    expect((await tell(id))[0]).toMatch(/^not_found/);
  });

  it('changes the priority of a run and redrives a failed one as a new run', async () => {
    const id = await node.submit({ job: 'mail', priority: 'P2' });
    expect((await changePriority(node.context, caller(), { id, priority: 'P0' })).priority).toBe(
      'P0',
    );
    await expect(retryRun(node.context, caller(), { id })).rejects.toMatchObject({
      code: 'conflict',
    });
    node.attach('w', () => ({ kind: 'failed', error: 'boom', class: 'permanent' }));
    const failed = await read(id, 5_000);
    expect(failed.tasks[0]).toMatchObject({ state: 'FAILED', error: 'boom' });
    const again = await retryRun(node.context, caller(), { id });
    expect(again).toMatchObject({ job: 'mail', created: true });
    const { trigger } = await read(again.id);
    expect(trigger).toEqual({ kind: 'retry', of: id, by: 'tester' });
  });
});

describe('lists', () => {
  it('API-07 pages newest first with live states, by job, state and priority', async () => {
    await node.define('graph');
    node.attach('w', HOLD, { total: { slots: 3 } });
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.push(await node.submit({ job: 'mail' }));
    await node.arrived(3);
    const urgent = await node.submit({ job: 'graph', priority: 'P0' });
    const page = await listRuns(node.context, caller(), { job: 'mail', limit: 3 });
    expect(page.items.map((run) => run.id)).toEqual(ids.slice(4).reverse());
    const seen = [...page.items];
    for (let next = page.next; next !== undefined; ) {
      const more = await listRuns(node.context, caller(), { job: 'mail', limit: 3, cursor: next });
      seen.push(...more.items);
      next = more.next;
    }
    expect(seen.map((run) => run.id)).toEqual([...ids].reverse());
    const running = await listRuns(node.context, caller(), { state: 'RUNNING' });
    expect(running.items.map((run) => run.id)).toEqual(ids.slice(0, 3).reverse());
    const p0 = await listRuns(node.context, caller(), { priority: 'P0' });
    expect(p0.items.map((run) => run.id)).toEqual([urgent]);
    expect((await listRuns(node.context, caller({ tenant: 'other' }), {})).items).toEqual([]);
  });
});
