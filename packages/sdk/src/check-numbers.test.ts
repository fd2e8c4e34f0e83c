import { expect, it } from 'vitest';
import { exactJson } from './check-numbers.ts';
import { job, Signalbox } from './index.ts';
import { prepareSubmission } from './prepare-submission.ts';

const shared = { rate: Number.NaN };

it.each([
  [Number.NaN, 'input', 'NaN'],
  [{ price: Number.POSITIVE_INFINITY }, 'input.price', 'Infinity'],
  [
    { rows: [{ price: 1 }, { price: Number.NEGATIVE_INFINITY }] },
    'input.rows[1].price',
    '-Infinity',
  ],
  [[null, [Number.NaN]], 'input[1][0]', 'NaN'],
  [{ a: { toJSON: () => ({ b: Number.NaN }) } }, 'input.a.b', 'NaN'],
  [{ fine: [null], ours: shared, theirs: shared }, 'input.ours.rate', 'NaN'],
])('an input of %j is refused with the path %s', (input, field, value) => {
  expect(() => prepareSubmission('mail', input, {})).toThrow(
    expect.objectContaining({
      ...{ name: 'SignalboxError', code: 'invalid', field },
      message: `${field} is ${value}, which JSON cannot represent`,
    }),
  );
});

it.each([
  [null, 'null'],
  [{ a: null, b: 'null', c: new Date(0) }, '{"a":null,"b":"null","c":"1970-01-01T00:00:00.000Z"}'],
  [[undefined, 1e308, -0], '[null,1e+308,0]'],
  [{ skipped: undefined, list: [undefined] }, '{"list":[null]}'],
  [undefined, undefined],
])('%j goes as JSON has it', (value, text) => {
  expect(exactJson(value, 'input')).toBe(text);
});

it('nothing of a request with such an input becomes a run', async () => {
  await using box = await Signalbox.open('memory:');
  const mail = job('mail', async (input: { n: number }) => input.n);
  await box.apply([mail]);
  await expect(box.submit(mail, { n: Number.NaN })).rejects.toMatchObject({ field: 'input.n' });
  const many = box.submitMany(mail, [{ input: { n: 1 } }, { input: { n: Number.NaN } }]);
  await expect(many).rejects.toMatchObject({ code: 'invalid' });
  expect((await box.runs.list()).items).toEqual([]);
  const signal = box.signal('x:y', { total: Number.NaN });
  await expect(signal).rejects.toMatchObject({ code: 'invalid', field: 'event.total' });
});
