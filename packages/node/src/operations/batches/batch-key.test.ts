import { type Answer, type Command, partitionOf } from '@signalbox/engine';
import type { Submitted } from '@signalbox/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { getRun, runInput, submitRuns } from '../index.ts';
import { bytes, caller, SmallNode, SUCCEED } from '../testing/small-node.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
  await node.define('mail');
});
afterEach(() => node.stop());

const mails = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ job: 'mail', input: { i } }));
const send = (items: Parameters<typeof submitRuns>[2]['items'], key = 'request-1', at = node) =>
  submitRuns(at.context, caller(), { items, key });
const idsOf = (submitted: readonly Submitted[]) => submitted.map(({ id }) => id);
const runCount = () => node.disk.snapshot().runs.length;
const keyCount = () => node.disk.snapshot().keys.length;

/** Another job whose runs live in the same partition as those of `mail`, or in another. */
async function defineOther(isBeside: boolean): Promise<string> {
  const partition = (job: string) => partitionOf('acme', job, node.context.partitions);
  const names = Array.from({ length: 100 }, (_, i) => `other-${i}`);
  const job = names.find((name) => (partition(name) === partition('mail')) === isBeside) as string;
  await node.define(job);
  return job;
}
const defineBeside = () => defineOther(true);
const defineElsewhere = () => defineOther(false);

describe('a batch under the key of its request', () => {
  it('DUR-06 is done once: sent again it answers the same runs, with one stored key', async () => {
    const first = await send(mails(100));
    expect(first.every(({ created }) => created)).toBe(true);
    const again = await send(mails(100));
    expect(idsOf(again)).toEqual(idsOf(first));
    expect(again.some(({ created }) => created)).toBe(false);
    expect(new Set(idsOf(first)).size).toBe(100);
    expect(runCount()).toBe(100);
    expect(keyCount()).toBe(1);
  });

  it('DUR-06 is done once when it is sent many times at once', async () => {
    const sent = await Promise.all(Array.from({ length: 50 }, () => send(mails(20))));
    expect(new Set(sent.map((each) => idsOf(each).join())).size).toBe(1);
    expect(sent.flat().filter(({ created }) => created)).toHaveLength(20);
    expect(runCount()).toBe(20);
  });

  it('DUR-06 is done once over a restart of the node', async () => {
    const first = await send(mails(10));
    await node.stop();
    node = await SmallNode.start({ disk: node.disk });
    expect(idsOf(await send(mails(10)))).toEqual(idsOf(first));
    expect(runCount()).toBe(10);
  });

  it('shows the input of each, and no run of it has a key of its own', async () => {
    const [first, second] = await send(mails(2));
    const { id } = second as Submitted;
    expect(await runInput(node.context, caller(), { id })).toEqual(bytes('{"i":1}'));
    const view = await getRun(node.context, caller(), { id: (first as Submitted).id });
    expect(view.idempotencyKey).toBeUndefined();
  });

  it('is a conflict where the same key asks for another number or another job', async () => {
    const beside = await defineBeside();
    await send(mails(3));
    const others = [{ job: 'mail' }, { job: beside }, { job: 'mail' }];
    for (const items of [mails(1), mails(2), mails(4), others]) {
      await expect(send(items)).rejects.toMatchObject({
        code: 'idempotency_conflict',
        field: 'idempotencyKey',
      });
    }
    expect(runCount()).toBe(3);
  });

  it('DUR-06 of other content makes nothing anywhere, also in a partition of its own', async () => {
    const other = await defineElsewhere();
    await send(mails(2));
    const before = node.disk.snapshot();
    const contents = [
      [{ job: other }],
      [{ job: other }, ...mails(2)],
      [...mails(2), { job: other }],
      [{ job: 'mail', idempotencyKey: 'own' }, { job: 'mail' }],
      [{ job: 'mail', uniqueKey: 'u' }, { job: other }],
      [{ job: 'mail', idempotencyKey: 'own' }],
    ];
    for (const items of contents) {
      await expect(send(items)).rejects.toMatchObject({
        code: 'idempotency_conflict',
        field: 'idempotencyKey',
      });
    }
    expect(node.disk.snapshot().runs).toEqual(before.runs);
    // Asked for all at once while the key is free: one content wins, and nothing is made of the rest.
    const raced = await Promise.allSettled(
      [[{ job: other }, ...mails(2)], [...mails(2), { job: other }], mails(3)].map((items) =>
        send(items, 'raced'),
      ),
    );
    expect(raced.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(runCount()).toBe(before.runs.length + 3);
  });

  it('DUR-06 of other content is refused also where every submission has a unique value', async () => {
    const items = (value: string) => [{ job: 'mail', uniqueKey: value }];
    const [live] = await submitRuns(node.context, caller(), { items: items('x') });
    const first = await send(items('x'));
    expect(first).toEqual([{ ...live, created: false }]);
    for (const value of ['y', 'z']) {
      const other = send(items(value));
      await expect(other).rejects.toMatchObject({
        code: 'idempotency_conflict',
        field: 'idempotencyKey',
      });
    }
    expect(await send(items('x'))).toEqual(first);
    const twice = await send([...items('w'), ...items('w')], 'twice');
    expect(twice.map(({ created }) => created)).toEqual([true, false]);
    expect(new Set(idsOf(twice)).size).toBe(1);
    expect(await send(items('y'), 'another')).toMatchObject([{ created: true }]);
    expect(await send(items('y'), 'another')).toMatchObject([{ created: false }]);
    await expect(send(items('x'), 'another')).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    expect(runCount()).toBe(3);
  });

  it('DUR-06 of other content is refused while the first waits in the inbox', async () => {
    const away = SmallNode.idle({ disk: node.disk });
    const mixed = (value: string) => [{ job: 'mail' }, { job: 'mail', uniqueKey: value }];
    const all = (value: string) => [{ job: 'mail', uniqueKey: value }];
    await send(mixed('p'), 'mixed', away);
    await send(all('p'), 'all', away);
    for (const at of [away, node]) {
      for (const [key, items] of [
        ['mixed', mixed('q')],
        ['all', all('q')],
      ] as const) {
        await expect(send(items, key, at)).rejects.toMatchObject({ code: 'idempotency_conflict' });
      }
    }
  });

  it('never meets a key that a user gave', async () => {
    const names = ['request-1', '/request-1', '0/request-1', '#0/request-1', 'batch/0/request-1'];
    const taken = names.map((key) => ({ job: 'mail', idempotencyKey: key }));
    await submitRuns(node.context, caller(), { items: taken });
    expect((await send(mails(2))).every(({ created }) => created)).toBe(true);
    const reserved = { items: [{ job: 'mail', idempotencyKey: '\u0001/request-1' }], single: true };
    const refused = { code: 'invalid', field: 'idempotencyKey' };
    await expect(submitRuns(node.context, caller(), reserved)).rejects.toMatchObject(refused);
    await expect(send(mails(1), '\u0001x')).rejects.toMatchObject(refused);
  });

  it('says that it may be done where a part was accepted before another failed', async () => {
    const other = await defineElsewhere();
    const { loop } = node.context;
    const executeAll = loop.executeAll.bind(loop);
    const isOther = (command: Command) => command.kind === 'submit' && command.spec.job === other;
    const spy = vi.spyOn(loop, 'executeAll').mockImplementation(async (commands) => {
      if (!commands.some(isOther)) return executeAll(commands);
      const answers = await executeAll(commands.filter((command) => !isOther(command)));
      const left = [...answers];
      const refused = { kind: 'refused', code: 'overloaded', message: 'no room' } as const;
      return commands.map((command) => (isOther(command) ? refused : (left.shift() as Answer)));
    });
    const items = [{ job: 'mail' }, { job: other }];
    const bare = submitRuns(node.context, caller(), { items });
    await expect(bare).rejects.toMatchObject({ code: 'unknown' });
    await expect(send(items)).rejects.toMatchObject({ code: 'unknown' });
    await expect(send([{ job: other }], 'alone')).rejects.toMatchObject({ code: 'overloaded' });
    spy.mockRestore();
    expect((await send(items)).map(({ created }) => created)).toEqual([false, true]);
  });

  it('has a key for each partition, and what is missing of it is done when it is sent again', async () => {
    const other = await defineElsewhere();
    const items = ['mail', other, 'mail', other, other].map((job) => ({ job }));
    const { loop } = node.context;
    const executeAll = loop.executeAll.bind(loop);
    // The node stops between the two partitions.
    const spy = vi.spyOn(loop, 'executeAll').mockImplementation(async (commands) => {
      if (commands.some((c) => c.kind === 'submit' && c.spec.job === other)) {
        throw new Error('stopped');
      }
      return executeAll(commands);
    });
    await expect(send(items)).rejects.toMatchObject({ code: 'unknown' });
    spy.mockRestore();
    expect(runCount()).toBe(2);
    const again = await send(items);
    expect(again.map(({ created }) => created)).toEqual([false, true, false, true, true]);
    expect(again.map(({ job }) => job)).toEqual(items.map(({ job }) => job));
    expect(idsOf(await send(items))).toEqual(idsOf(again));
    expect(runCount()).toBe(5);
    expect(keyCount()).toBe(2);
  });

  it('derives a key for each where some have a key or a unique value of their own', async () => {
    const [live] = await submitRuns(node.context, caller(), {
      items: [{ job: 'mail', uniqueKey: 'u' }],
    });
    const items = [
      { job: 'mail' },
      { job: 'mail', idempotencyKey: 'own' },
      { job: 'mail', uniqueKey: 'u' },
      { job: 'mail' },
    ];
    const first = await send(items);
    expect(first.map(({ created }) => created)).toEqual([true, true, false, true]);
    expect(first[2]?.id).toBe(live?.id);
    expect(idsOf(await send(items))).toEqual(idsOf(first));
    expect(runCount()).toBe(4);
  });

  it('TRG-27 of a job that skips overlap makes one run, and answers the others with it', async () => {
    await node.define('lonely', { overlap: 'skip' });
    const items = [{ job: 'lonely' }, { job: 'lonely' }, { job: 'mail' }];
    const first = await send(items);
    expect(first.map(({ created }) => created)).toEqual([true, false, true]);
    expect(first[1]?.id).toBe(first[0]?.id);
    expect(idsOf(await send(items))).toEqual(idsOf(first));
    expect(await node.submit({ job: 'lonely', uniqueKey: 'u' })).toBe(first[0]?.id);
    expect(runCount()).toBe(2);
  });

  it('is refused where nothing is left of its runs but the key: there is nothing to compare with', async () => {
    await node.stop();
    const store = { ...node.disk, readRuns: async () => [] };
    node = await SmallNode.start({ disk: node.disk, store });
    node.attach('w', SUCCEED);
    const first = await send(mails(3));
    for (const { id } of first) await getRun(node.context, caller(), { id, waitMs: 5_000 });
    await expect(send(mails(3))).rejects.toMatchObject({ code: 'idempotency_conflict' });
    expect(runCount()).toBe(3);
  });

  it('refuses a key that is none', async () => {
    for (const key of ['', 'x'.repeat(257), 'a\0b']) {
      await expect(send(mails(1), key)).rejects.toMatchObject({
        code: 'invalid',
        field: 'idempotencyKey',
      });
    }
    expect(runCount()).toBe(0);
  });
});

describe('a batch under a key that comes to a node which is not the owner', () => {
  const other = () => SmallNode.idle({ disk: node.disk });

  it('waits as one entry, answers alike again, and each alias leads to its run', async () => {
    await node.stop();
    const asked = other();
    const first = await send(mails(5), 'request-1', asked);
    expect(new Set(idsOf(first)).size).toBe(5);
    const again = first.map((each) => ({ ...each, created: false }));
    expect(await send(mails(5), 'request-1', asked)).toEqual(again);
    await expect(send(mails(4), 'request-1', asked)).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    expect(node.disk.snapshot().inbox).toHaveLength(1);
    const { id } = first[3] as Submitted;
    const view = await getRun(asked.context, caller(), { id });
    expect(view).toMatchObject({ id, job: 'mail', state: 'PENDING' });
    expect(view.idempotencyKey).toBeUndefined();
    expect(await runInput(asked.context, caller(), { id })).toEqual(bytes('{"i":3}'));
    node = await SmallNode.start({ disk: node.disk, loop: { inboxPollMs: 20 } });
    node.attach('w', SUCCEED);
    const runs = await Promise.all(
      first.map((each) => getRun(node.context, caller(), { id: each.id, waitMs: 5_000 })),
    );
    expect(runs.map(({ state }) => state)).toEqual(Array(5).fill('SUCCEEDED'));
    const inputs = await Promise.all(
      first.map((each) => runInput(node.context, caller(), { id: each.id })),
    );
    expect(inputs).toEqual([0, 1, 2, 3, 4].map((i) => bytes(`{"i":${i}}`)));
    // Sent again, to whichever node: the runs that it has become.
    expect(idsOf(await send(mails(5)))).toEqual(runs.map(({ id }) => id));
    expect(idsOf(await send(mails(5), 'request-1', asked))).toEqual(runs.map(({ id }) => id));
    await expect(send(mails(4), 'request-1', asked)).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    expect(runCount()).toBe(5);
  });

  it('DUR-06 is done once where it came to the owner as well, before the entry was taken', async () => {
    await node.stop();
    const first = await send(mails(5), 'request-1', other());
    node = await SmallNode.start({ disk: node.disk, loop: { inboxPollMs: 100_000 } });
    const direct = await send(mails(5));
    expect(direct).toEqual(first.map((each) => ({ ...each, created: false })));
    await expect(send(mails(4))).rejects.toMatchObject({
      code: 'idempotency_conflict',
      field: 'idempotencyKey',
    });
    await node.stop();
    node = await SmallNode.start({ disk: node.disk, loop: { inboxPollMs: 5 } });
    while (node.disk.snapshot().inbox.length > 0) await new Promise((r) => setImmediate(r));
    expect(runCount()).toBe(5);
    const runs = await Promise.all(
      first.map(({ id }) => getRun(node.context, caller(), { id }).then((view) => view.id)),
    );
    expect(idsOf(await send(mails(5)))).toEqual(runs);
  });

  it('finds the runs of a request that the owner has taken directly', async () => {
    const first = await send(mails(5));
    const again = await send(mails(5), 'request-1', other());
    expect(again).toEqual(first.map((each) => ({ ...each, created: false })));
    expect(node.disk.snapshot().inbox).toEqual([]);
  });
});
