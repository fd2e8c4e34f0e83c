import { createMemoryStore } from '@signalbox/store/memory';
import { expect, it } from 'vitest';
import { countStoreCalls } from './count-store-calls.ts';

it('counts every call by its name and changes no answer', async () => {
  const calls: string[] = [];
  const store = countStoreCalls(createMemoryStore({ now: () => 7 }), (name) => calls.push(name));
  expect(await store.now()).toBe(7);
  await expect(store.getDefinition({ tenant: '\u0000', kind: 'a', name: 'b' })).rejects.toThrow();
  expect(await store.listLeases()).toEqual([]);
  expect(calls).toEqual(['now', 'getDefinition', 'listLeases']);
});
