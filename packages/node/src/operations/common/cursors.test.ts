import type { Store } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { expect, it } from 'vitest';
import { openCursor, sealCursor } from './cursors.ts';

const scope = { list: 'runs', tenant: 'acme', filter: { job: 'mail', state: 'FAILED' } };
const at = (text: string) => ({ field: 'cursor', text });

/** A node of its own over the same data. */
function nodeOver(store: Store): Store {
  return {
    getDefinition: (query: never) => store.getDefinition(query),
    putDefinition: (change: never) => store.putDefinition(change),
  } as unknown as Store;
}

it('is valid on every node over the same store, also if all create the key at once', async () => {
  const disk = createMemoryStore({ now: () => 0 });
  const nodes = [nodeOver(disk), nodeOver(disk), nodeOver(disk)] as const;
  const cursors = await Promise.all(nodes.map((node) => sealCursor(node, scope, 'position')));
  expect(new Set(cursors).size).toBe(1);
  // A node that starts later reads the key.
  for (const node of [...nodes, nodeOver(disk)]) {
    expect(await openCursor(node, scope, at(cursors[0] as string))).toBe('position');
  }
});

it('is refused if it was changed, or belongs to another list, tenant, filter or cluster', async () => {
  const store = nodeOver(createMemoryStore({ now: () => 0 }));
  const cursor = await sealCursor(store, scope, 'position');
  const refused = { code: 'bad_request', field: 'cursor' };
  for (const other of [
    { ...scope, list: 'tasks' },
    { ...scope, tenant: 'other' },
    { ...scope, filter: { job: 'mail' } },
    { ...scope, filter: { job: 'mail', state: 'SUCCEEDED' } },
  ]) {
    await expect(openCursor(store, other, at(cursor))).rejects.toMatchObject(refused);
  }
  const bytes = Buffer.from(cursor, 'base64url');
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] as number) ^ 1;
    const text = changed.toString('base64url');
    await expect(openCursor(store, scope, at(text))).rejects.toMatchObject(refused);
  }
  for (const text of ['', 'x', 'position', `${cursor}=`, `${cursor}A`, cursor.slice(1)]) {
    await expect(openCursor(store, scope, at(text))).rejects.toMatchObject(refused);
  }
  const elsewhere = nodeOver(createMemoryStore({ now: () => 0 }));
  await expect(openCursor(elsewhere, scope, at(cursor))).rejects.toMatchObject(refused);
  const reordered = { ...scope, filter: { state: 'FAILED', job: 'mail', priority: undefined } };
  expect(await openCursor(store, reordered, at(cursor))).toBe('position');
});

it('is checked with the stored key again after the store was replaced', async () => {
  let disk = createMemoryStore({ now: () => 0 });
  const running = {
    getDefinition: (query: never) => disk.getDefinition(query),
    putDefinition: (change: never) => disk.putDefinition(change),
  } as unknown as Store;
  await sealCursor(running, scope, 'before');
  disk = createMemoryStore({ now: () => 0 });
  const cursor = await sealCursor(nodeOver(disk), scope, 'after');
  expect(await openCursor(running, scope, at(cursor))).toBe('after');
});
