import { BATCH_TYPE, encodeBatch, oneByOne, type SubmittedInARow } from '@signalbox/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from './testing/api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.ask('/jobs', { body: { name: 'hello', definition: {} } });
});
afterAll(() => world.stop());

const headers = { 'content-type': BATCH_TYPE };
const bytes = (text: string) => new TextEncoder().encode(text);
/** A body of any header, true or not. */
const packed = (header: unknown, inputs = '') =>
  encodeBatch(header as never, bytes(inputs)) as Uint8Array<ArrayBuffer>;
const post = (raw: Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) =>
  world.ask('/runs/batch', { raw, headers: { ...headers, ...more } });
const runCount = async () =>
  (await world.ask('/runs?limit=1000')).json<{ items: unknown[] }>().items.length;

interface Items {
  readonly items: SubmittedInARow[];
}
const runsOf = (answer: { json<T>(): T }) => oneByOne(answer.json<Items>().items);

describe('a batch with its inputs as bytes', () => {
  it('becomes runs with exactly these inputs', async () => {
    const header = {
      shared: { job: 'hello', priority: 'P0' },
      items: [{}, { idempotencyKey: 'k-1' }, {}],
      inputs: [3, null, 2],
    };
    const answer = await post(packed(header, '"a"\u0000\u0001'));
    expect(answer.status).toBe(200);
    const items = runsOf(answer);
    expect(items.map(({ job, created }) => [job, created])).toEqual(Array(3).fill(['hello', true]));
    const inputs = await Promise.all(items.map(({ id }) => world.ask(`/runs/${id}/input`)));
    expect(inputs.map(({ text }) => text)).toEqual(['"a"', '', '\u0000\u0001']);
    const second = await world.ask(`/runs/${items[1]?.id}`);
    expect(second.json()).toMatchObject({ priority: 'P0', idempotencyKey: 'k-1' });
  });

  it('is answered with the first of the runs that are in a row, and how many they are', async () => {
    await world.ask('/jobs', { body: { name: 'other', definition: {} } });
    const [a, b] = [{ job: 'hello' }, { job: 'other' }];
    const answer = await post(packed({ items: [a, a, a, b, a], inputs: Array(5).fill(null) }));
    const said = answer.json<Items>().items.map(({ job, count }) => [job, count]);
    expect(said).toEqual([
      ['hello', 3],
      ['other', 1],
      ['hello', 1],
    ]);
    const runs = runsOf(answer);
    expect(new Set(runs.map(({ id }) => id)).size).toBe(5);
    const jobs = runs.map(async ({ id }) =>
      (await world.ask(`/runs/${id}`)).json<{ job: string }>(),
    );
    expect((await Promise.all(jobs)).map(({ job }) => job)).toEqual(runs.map(({ job }) => job));
  });

  it('DUR-06 is done once under an Idempotency-Key, and so is one of JSON', async () => {
    const more = { 'idempotency-key': 'request-1' };
    const body = packed({ shared: { job: 'hello' }, inputs: [1, 1] }, '12');
    const before = await runCount();
    const [first, again] = [await post(body, more), await post(body, more)];
    const ids = (answer: { json<T>(): T }) => runsOf(answer).map(({ id }) => id);
    expect(ids(again)).toEqual(ids(first));
    const items = [
      { job: 'hello', input: 1 },
      { job: 'hello', input: 2 },
    ];
    const other = await world.ask('/runs/batch', { body: { items }, headers: more });
    expect(ids(other)).toEqual(ids(first));
    const changed = packed({ shared: { job: 'hello' }, inputs: [1, 1] }, '13');
    expect((await post(changed, more)).error()).toMatchObject({ code: 'idempotency_conflict' });
    expect(await runCount()).toBe(before + 2);
    const longer = packed({ shared: { job: 'hello' }, inputs: [1, 1, 1] }, '123');
    expect((await post(longer, more)).error()).toMatchObject({
      code: 'idempotency_conflict',
      field: 'idempotencyKey',
    });
  });

  const ok = { shared: { job: 'hello' }, inputs: [2] };
  it.each([
    ['nothing at all', new Uint8Array(0), 400],
    ['three bytes', new Uint8Array(3), 400],
    ['a header longer than the body', new Uint8Array([0xff, 0xff, 0xff, 0xff, 0x7b]), 400],
    ['a header that is no JSON', new Uint8Array([0, 0, 0, 1, 0x7b]), 400],
    ['a header that is a list', packed([]), 422],
    ['inputs shorter than they say', packed(ok, '1'), 400],
    ['inputs longer than they say', packed(ok, '123'), 400],
    ['a negative length', packed({ ...ok, inputs: [-1, 3] }, '12'), 422],
    ['a length past every body', packed({ ...ok, inputs: [1e15] }, '12'), 400],
    ['a length that is not whole', packed({ ...ok, inputs: [0.5] }, '12'), 422],
    ['no inputs', packed({ shared: { job: 'hello' } }), 422],
    ['none of them', packed({ ...ok, inputs: [] }), 422],
    ['more than a thousand', packed({ ...ok, inputs: Array(1_001).fill(null) }), 422],
    ['items and inputs that differ in number', packed({ ...ok, items: [{}, {}] }, '12'), 422],
    ['an unknown field', packed({ ...ok, more: 1 }, '12'), 422],
    ['an unknown field of an item', packed({ ...ok, items: [{ input: 1 }] }, '12'), 422],
    ['no job', packed({ inputs: [2] }, '12'), 422],
    ['a job that is none', packed({ ...ok, shared: { job: 'a b' } }, '12'), 422],
    ['bytes and a blob', packed({ ...ok, shared: { job: 'hello', inputBlob: 'b' } }, '12'), 422],
    ['an absent job', packed({ ...ok, shared: { job: 'absent' } }, '12'), 404],
  ])('API-10 %s is refused, and nothing of it exists', async (_name, raw, status) => {
    const before = await runCount();
    expect((await post(raw)).status).toBe(status);
    expect(await runCount()).toBe(before);
  });

  it('h17 a header with __proto__ is refused', async () => {
    const text = '{"shared":{"job":"hello","__proto__":{"x":1}},"inputs":[null]}';
    const raw = new Uint8Array(4 + text.length);
    new DataView(raw.buffer).setUint32(0, text.length);
    raw.set(bytes(text), 4);
    expect((await post(raw)).status).toBe(422);
  });

  it('h19 a body of 2 MB is refused by its size', async () => {
    const answer = await post(packed({ ...ok, inputs: [2_000_000] }, 'x'.repeat(2_000_000)));
    expect(answer.status).toBe(413);
  });

  it('is taken where batches are, and nowhere else', async () => {
    const answer = await world.ask('/runs', { raw: packed(ok, '12'), headers });
    expect(answer.status).toBe(415);
  });
});
