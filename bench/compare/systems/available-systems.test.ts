import { expect, it } from 'vitest';
import { availableSystems } from './available-systems.ts';
import type { System } from './system.ts';

const system = (name: string, missing?: () => string | null): System => ({
  name,
  store: 'postgres',
  isPeer: true,
  words: '',
  tunings: {},
  version: () => '1',
  ...(missing !== undefined && { missing }),
  provide: () => Promise.reject(new Error('is not provided')),
});

it('leaves out what is missing, with its reason on one line', () => {
  const lines: string[] = [];
  const systems = [
    system('installed'),
    system('built', () => null),
    system('broken', () => 'go build failed:\n  no such module\n'),
  ];
  const names = availableSystems(systems, (line) => lines.push(line)).map(({ name }) => name);
  expect(names).toEqual(['installed', 'built']);
  expect(lines).toEqual(['broken is left out: go build failed: no such module']);
});
