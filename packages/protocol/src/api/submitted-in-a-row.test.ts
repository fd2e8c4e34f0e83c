import { describe, expect, it } from 'vitest';
import { COUNTED_MAX, oneByOne } from './submitted-in-a-row.ts';

describe('runs in a row', () => {
  it('have ids that follow each other in their last twelve digits', () => {
    const id = '0198c2f0-5a00-7001-8000-0000000000fe';
    const rows = [
      { id, job: 'a', created: true, count: 3 },
      { id: 'i-1', job: 'b', created: false, count: 1 },
    ];
    expect(oneByOne(rows)).toEqual([
      { id: '0198c2f0-5a00-7001-8000-0000000000fe', job: 'a', created: true },
      { id: '0198c2f0-5a00-7001-8000-0000000000ff', job: 'a', created: true },
      { id: '0198c2f0-5a00-7001-8000-000000000100', job: 'a', created: true },
      { id: 'i-1', job: 'b', created: false },
    ]);
  });

  it('end where the digits do', () => {
    const id = `0198c2f0-5a00-7001-8000-${(COUNTED_MAX - 1).toString(16)}`;
    const last = oneByOne([{ id, job: 'a', created: true, count: 2 }]).at(-1);
    expect(last?.id).toBe('0198c2f0-5a00-7001-8000-ffffffffffff');
  });
});
