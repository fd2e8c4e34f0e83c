import type { Submitted } from '@signalbox/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type SubmitItem, submitRuns } from '../index.ts';
import { caller, SmallNode } from '../testing/small-node.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
  await node.define('mail');
});
afterEach(() => node.stop());

const CONFLICT = { code: 'idempotency_conflict' };

function send(items: readonly SubmitItem[], more: object = {}): Promise<Submitted[]> {
  return submitRuns(node.context, caller(), { items, ...more });
}

const one = (input: unknown, idempotencyKey = 'k') =>
  send([{ job: 'mail', idempotencyKey, input }], { single: true });

const bytes = (text: string) =>
  send([{ job: 'mail', idempotencyKey: 'k', inputBytes: Buffer.from(text) }], { single: true });

describe('a key that is sent again', () => {
  it('with another input is a conflict that names the run', async () => {
    const [first] = await one({ to: 'Ada' });
    expect(await one({ to: 'Ada' })).toEqual([{ ...first, created: false }]);
    for (const input of [{ to: 'Bob' }, undefined, null, 'Ada', { to: 'Ada', cc: 'Bob' }]) {
      const again = one(input);
      await expect(again).rejects.toMatchObject({ ...CONFLICT, field: 'idempotencyKey' });
      await expect(again).rejects.toThrow(`belongs to run ${first?.id}, which has another input`);
    }
    expect(node.disk.snapshot().runs).toHaveLength(1);
  });

  it('without an input is the same without one, and a conflict with one', async () => {
    await one(undefined);
    expect(await one(undefined)).toMatchObject([{ created: false }]);
    await expect(one({})).rejects.toMatchObject(CONFLICT);
  });

  it('with the members in another order, or with the same bytes, is the same', async () => {
    const [first] = await one({ a: 1, b: [2] });
    expect(await one({ b: [2], a: 1 })).toMatchObject([{ id: first?.id, created: false }]);
    const inputBytes = Buffer.from('{"a":1,"b":[2]}');
    const again = await send([{ job: 'mail', idempotencyKey: 'k', inputBytes }], { single: true });
    expect(again).toMatchObject([{ id: first?.id }]);
  });

  it.each([
    ['{"n":9007199254740992}', '{"n":9007199254740993}'],
    ['[0.1]', '[0.1000000000000000055]'],
    ['1e400', '1e401'],
    ['-0', '0'],
    ['1', '"1e0"'],
    ['{"n":12}', '{"n":{"text":"12e0"}}'],
  ])('with the bytes %s and then %s is a conflict', async (first, second) => {
    await bytes(first);
    await expect(bytes(second)).rejects.toMatchObject(CONFLICT);
  });

  it.each([
    ['{"a":9007199254740993,"b":1}', '{"b":1,"a":9007199254740993}'],
    ['[1,10,0.5,0]', '[1.0, 1e1, 50E-2, 0.00]'],
    ['9007199254740993000', '9007199254740993e+3'],
  ])('with the bytes %s and then %s is the same', async (first, second) => {
    const [run] = await bytes(first);
    expect(await bytes(second)).toMatchObject([{ id: run?.id, created: false }]);
  });

  it('with an input that is kept as a blob is compared by its content', async () => {
    const large = (letter: string) => letter.repeat(300_000);
    await one(large('a'));
    expect(await one(large('a'))).toMatchObject([{ created: false }]);
    await expect(one(large('b'))).rejects.toMatchObject(CONFLICT);
    await expect(one('a')).rejects.toMatchObject(CONFLICT);
  });

  it('is compared after a restart of the node', async () => {
    await one(1);
    await node.stop();
    node = await SmallNode.start({ disk: node.disk });
    expect(await one(1)).toMatchObject([{ created: false }]);
    await expect(one(2)).rejects.toMatchObject(CONFLICT);
  });

  it('is compared by a node that does not own the job, with the run and with what waits', async () => {
    await one(1);
    const away = SmallNode.idle({ disk: node.disk });
    const there = (input: unknown, idempotencyKey: string) =>
      submitRuns(away.context, caller(), {
        items: [{ job: 'mail', idempotencyKey, input }],
        single: true,
      });
    expect(await there(1, 'k')).toMatchObject([{ created: false }]);
    await expect(there(2, 'k')).rejects.toMatchObject(CONFLICT);
    await there(1, 'waits');
    expect(await there(1, 'waits')).toMatchObject([{ created: false }]);
    await expect(there(2, 'waits')).rejects.toMatchObject(CONFLICT);
  });

  it('is not compared where the run is the live one by its unique value', async () => {
    const [first] = await send([{ job: 'mail', uniqueKey: 'u', input: 1 }], { single: true });
    const again = await send([{ job: 'mail', uniqueKey: 'u', input: 2 }], { single: true });
    expect(again).toEqual([{ ...first, created: false }]);
  });
});

describe('a second key of a live run with a unique value', () => {
  const unique = (idempotencyKey: string, input: unknown, at = node) =>
    submitRuns(at.context, caller(), {
      items: [{ job: 'mail', uniqueKey: 'u', idempotencyKey, input }],
      single: true,
    });

  it('sent again with another input is a conflict', async () => {
    const [first] = await unique('first', { a: 1, b: 2 });
    // It may have any input: it is the live run.
    expect(await unique('second', { a: 2, b: 3 })).toEqual([{ ...first, created: false }]);
    expect(await unique('second', { b: 3, a: 2 })).toEqual([{ ...first, created: false }]);
    for (const input of [{ a: 1, b: 2 }, undefined, 7]) {
      await expect(unique('second', input)).rejects.toMatchObject(CONFLICT);
    }
    await expect(unique('first', { a: 2, b: 3 })).rejects.toMatchObject(CONFLICT);
    const away = SmallNode.idle({ disk: node.disk });
    expect(await unique('second', { a: 2, b: 3 }, away)).toMatchObject([{ id: first?.id }]);
    await expect(unique('second', 7, away)).rejects.toMatchObject(CONFLICT);
    await node.stop();
    node = await SmallNode.start({ disk: node.disk });
    expect(await unique('second', { a: 2, b: 3 })).toMatchObject([{ id: first?.id }]);
    await expect(unique('second', 7)).rejects.toMatchObject(CONFLICT);
  });

  it('that waits in the inbox of another node is compared once it is the run', async () => {
    const away = SmallNode.idle({ disk: node.disk });
    const [first] = await unique('first', 1);
    expect(await unique('second', 2, away)).toMatchObject([{ created: false, pending: true }]);
    await vi.waitFor(() => expect(node.disk.snapshot().inbox).toEqual([]), 20_000);
    expect(await unique('second', 2)).toMatchObject([{ id: first?.id, created: false }]);
    await expect(unique('second', 3)).rejects.toMatchObject(CONFLICT);
  });

  it('in a batch has the error of its own', async () => {
    await unique('first', 1);
    await unique('second', 2);
    const items = [
      { job: 'mail', input: 5 },
      { job: 'mail', uniqueKey: 'u', idempotencyKey: 'second', input: 3 },
    ];
    expect(await send(items)).toMatchObject([{ created: true }, { error: CONFLICT }]);
  });
});

describe('a batch in which a key has another input', () => {
  it('is refused where nothing of it is new', async () => {
    await one(1);
    const again = send([{ job: 'mail', idempotencyKey: 'k', input: 2 }]);
    await expect(again).rejects.toMatchObject({ ...CONFLICT, field: 'items[0].idempotencyKey' });
  });

  it('says so of that submission where others became runs', async () => {
    const [held] = await one(1);
    const items = [
      { job: 'mail', input: 5 },
      { job: 'mail', idempotencyKey: 'k', input: 2 },
      { job: 'mail', idempotencyKey: 'new', input: 2 },
    ];
    for (const more of [{}, { key: 'request' }]) {
      const [free, other] = await send(items, more);
      expect(free).toMatchObject({ created: true });
      expect(other).toMatchObject({ id: held?.id, created: false, error: CONFLICT });
    }
    // Repeated under its key, the request has the same answers.
    const again = await send(items, { key: 'request' });
    expect(again.map(({ created }) => created)).toEqual([false, false, false]);
    expect(again.map(({ error }) => error?.code)).toEqual([
      undefined,
      'idempotency_conflict',
      undefined,
    ]);
  });

  it('and the request itself is refused where it is repeated with other inputs', async () => {
    const mails = (to: number) => [1, to].map((input) => ({ job: 'mail', input }));
    const first = await send(mails(2), { key: 'request' });
    const again = await send(mails(2), { key: 'request' });
    expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    await expect(send(mails(3), { key: 'request' })).rejects.toMatchObject(CONFLICT);
    const mixed = (input: number) => [...mails(2), { job: 'mail', uniqueKey: `u`, input }];
    await send(mixed(1), { key: 'mixed' });
    await send(mixed(1), { key: 'mixed' });
    await expect(send(mixed(2), { key: 'mixed' })).rejects.toMatchObject(CONFLICT);
    expect(node.disk.snapshot().runs).toHaveLength(5);
  });
});
