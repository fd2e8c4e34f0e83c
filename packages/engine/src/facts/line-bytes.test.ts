import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { LineBytes } from './line-bytes.ts';
import { decodeText } from './text.ts';

function written(...pieces: (string | number)[]): string {
  const lines = new LineBytes(1);
  for (const piece of pieces) {
    if (typeof piece === 'string') lines.text(piece);
    else lines.whole(piece);
  }
  return decodeText(lines.finish());
}

describe('the bytes of lines', () => {
  it('are those of the same pieces put together as text, whatever they are', () => {
    const piece = fc.oneof(
      fc.maxSafeInteger(),
      fc.integer(),
      fc.integer({ min: -1_000, max: 1_000 }),
      fc.string({ unit: 'grapheme', maxLength: 80 }),
    );
    assertProperty(
      fc.property(fc.array(piece), (pieces) => {
        expect(written(...pieces)).toBe(pieces.join(''));
      }),
    );
  });

  it.each([0, 9, 10, 99, 100, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), Number.MAX_SAFE_INTEGER])(
    'write %d with all of its digits',
    (value) => {
      expect(written(value, ',', -value)).toBe(`${value},${-value}`);
    },
  );

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 0.5, 2 ** 53])('refuse %d', (value) => {
    expect(() => written(value)).toThrow(RangeError);
  });
});
