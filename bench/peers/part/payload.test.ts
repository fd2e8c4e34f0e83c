import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { payload } from '../../compare/part/payload.ts';

// The tests of the parts in Go compare the same file with what those submit.
it('submits in TypeScript what the parts in Go submit', () => {
  const expected = readFileSync(join(import.meta.dirname, 'testdata/payload-207.txt'), 'utf8');
  expect(JSON.stringify(payload(207))).toBe(expected.trim());
});
