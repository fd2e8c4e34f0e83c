import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../../tools/testing/property.ts';
import { compareText } from './compare-text.ts';

/** Few different characters from every region of the code space, so that prefixes are shared. */
const text = fc.string({
  unit: fc.constantFrom(
    '',
    'a',
    'b',
    'ä',
    '\u{d7ff}',
    '\u{e000}',
    '\u{ffff}',
    '\u{10000}',
    '\u{10ffff}',
  ),
});

it('compares as the UTF-8 bytes do', () => {
  assertProperty(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});
