import { expect, it } from 'vitest';
import { parseMemory, treeMb } from './memory.ts';

it('reads what is its own and what is shared', () => {
  const text = 'VmRSS:\t  300 kB\nRssAnon:\t  100 kB\nRssFile:\t   50 kB\nRssShmem:\t  150 kB\n';
  expect(parseMemory(text)).toEqual({ ownKb: 100, sharedKb: 200 });
});

it('counts buffers that several processes map once', () => {
  const lines = [
    { ownKb: 1_024, sharedKb: 10_240 },
    { ownKb: 2_048, sharedKb: 4_096 },
  ];
  expect(treeMb(lines)).toBe(13);
});
