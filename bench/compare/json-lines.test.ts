import { expect, it } from 'vitest';
import { LineCutter } from './json-lines.ts';

it('joins what was torn apart and waits for the end of a line', () => {
  const cutter = new LineCutter();
  expect(cutter.push('{"kind":"re')).toEqual([]);
  expect(cutter.push('ady"}\n\n{"kind":"count","n":1}\n{"k')).toEqual([
    '{"kind":"ready"}',
    '{"kind":"count","n":1}',
  ]);
  expect(cutter.push('ind":"bye"}\n')).toEqual(['{"kind":"bye"}']);
});
