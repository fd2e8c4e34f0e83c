import { describe, expect, expectTypeOf, it } from 'vitest';
import { type Jsonified, job, type RunHandle, Signalbox, type Submittable } from './index.ts';
import { prepareSubmission } from './prepare-submission.ts';

interface Row {
  readonly at: Date;
  readonly tags?: readonly string[];
  readonly left: { readonly n: number } | null;
  readonly say: () => string;
}

describe('what comes back', () => {
  it('has the type of its JSON', () => {
    expectTypeOf<Jsonified<Date>>().toEqualTypeOf<string>();
    expectTypeOf<Jsonified<Map<string, number>>>().toEqualTypeOf<never>();
    expectTypeOf<Jsonified<'a' | 1 | null | undefined>>().toEqualTypeOf<
      'a' | 1 | null | undefined
    >();
    expectTypeOf<Jsonified<[Date, number]>>().toEqualTypeOf<[string, number]>();
    expectTypeOf<Jsonified<unknown>>().toEqualTypeOf<unknown>();
    expectTypeOf<RunHandle<number>>().toExtend<RunHandle<unknown>>();
    expectTypeOf<RunHandle<{ at: Date }>>().toExtend<RunHandle<unknown>>();
    expectTypeOf<Jsonified<Row>>().toEqualTypeOf<{
      readonly at: string;
      readonly tags?: readonly string[];
      readonly left: { readonly n: number } | null;
    }>();
  });

  it('is what its type says', async () => {
    const now = job('now', (input: { at: string }) => ({ at: new Date(input.at) }));
    await using box = await Signalbox.open('memory:');
    await box.work([now]);
    // A date where the handler takes text.
    const run = await box.submit(now, { at: new Date(0) });
    const result = await run.result();
    expectTypeOf(result).toEqualTypeOf<{ at: string }>();
    expect(result).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  });
});

describe('what JSON does not carry', () => {
  it('cannot be submitted, says the type', () => {
    expectTypeOf<Submittable<{ at: Date }>>().toEqualTypeOf<{ at: never }>();
    expectTypeOf<Submittable<{ all: Map<string, string> }>>().toEqualTypeOf<{ all: never }>();
    expectTypeOf<Submittable<{ n: number; to?: 'a' }>>().toEqualTypeOf<{ n: number; to?: 'a' }>();
  });

  it.each([
    [{ tags: new Map([['a', 1]]) }, 'input.tags', 'Map'],
    [[{ all: new Set([1]) }], 'input[0].all', 'Set'],
    [{ later: Promise.resolve(1) }, 'input.later', 'Promise'],
    [{ bytes: new Uint8Array([1, 2]) }, 'input.bytes', 'Uint8Array'],
  ])('is refused in an input with its path: %o', (input, field, type) => {
    const message = `${field} is a ${type}, which JSON cannot represent; use an array or an object`;
    expect(() => prepareSubmission('mail', input, {})).toThrow(
      expect.objectContaining({ name: 'SignalboxError', code: 'invalid', field, message }),
    );
  });

  it('is refused where it is a date without a time', () => {
    const input = { shifts: [{ from: new Date(0), to: new Date(Number.NaN) }] };
    expect(() => prepareSubmission('mail', input, {})).toThrow(
      'input.shifts[0].to is an invalid Date, which JSON cannot represent',
    );
  });

  it.each([{}, { a: {} }, [{}], { a: '{}' }, { 0: 'x' }, { at: new Date(0), b: {} }])(
    'is not found in %j',
    (input) => {
      expect(prepareSubmission('mail', input, {}).input).toBe(JSON.stringify(input));
    },
  );

  it('fails an attempt that returns it, with its path', async () => {
    const all = job('all', () => ({ tags: new Map([['a', 1]]) }));
    const priced = job('priced', () => ({ items: [null, { price: Number.NaN }] }));
    await using box = await Signalbox.open('memory:');
    await box.work([all, priced]);
    const lost = [
      [all, 'output.tags is a Map, which JSON cannot represent; use an array or an object'],
      [priced, 'output.items[1].price is NaN, which JSON cannot represent'],
    ] as const;
    for (const [each, message] of lost) {
      const { state, tasks } = await (await box.submit(each.name)).wait();
      expect(state).toBe('FAILED');
      expect(tasks[0]?.error).toBe(`PermanentError: ${message}`);
      expect(tasks[0]?.attempts).toMatchObject([{ number: 1, outcome: 'permanent' }]);
    }
  });
});
