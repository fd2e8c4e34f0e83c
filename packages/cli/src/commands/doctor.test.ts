import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandNode } from '../testing/command-node.ts';

let node: CommandNode;
beforeAll(async () => {
  node = await CommandNode.start();
});
afterAll(() => node.stop());

it('signalbox doctor lists damaged rows by id, and forgets one or all of them', async () => {
  const { store } = node;
  const row = { partition: 3, tenant: null, error: 'changed', bytes: new Uint8Array(1) };
  for (const key of ['3/1', '3/2', '3/3']) await store.setAside({ kind: 'group', key, ...row });
  const listed = await node.run(['doctor']);
  expect(listed.out).toContain('group/3/2: changed');
  expect(listed.code).toBe(1);
  expect((await node.run(['doctor', '--forget', 'group/3/2'])).out).toContain(': 1');
  expect((await node.run(['doctor', '--forget', 'group/3/2'])).code).not.toBe(0);
  expect((await node.run(['doctor', '--forget', 'x', '--forget-all'])).code).toBe(2);
  const { out } = await node.run(['doctor', '--forget-all', '--json']);
  expect(JSON.parse(out)).toEqual({ forgotten: 2 });
  expect((await node.run(['doctor'])).out).not.toContain('group/3');
});
