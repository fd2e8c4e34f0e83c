import type { TaskView } from '@signalbox/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cancelRun, getRun, runTasks } from './index.ts';
import { caller, SmallNode } from './testing/small-node.ts';

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
});
afterEach(() => node.stop());

async function submitted(count: number): Promise<string> {
  const tasks = Array.from({ length: count }, (_, i) => ({ name: `t${i}` }));
  await node.define('many', { tasks });
  return node.submit({ job: 'many' });
}

async function pages(id: string, query: object = {}): Promise<TaskView[][]> {
  const found: TaskView[][] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; ) {
    isFirst = false;
    const at = cursor === undefined ? {} : { cursor };
    const page = await runTasks(node.context, caller(), { id, ...query, ...at });
    found.push([...page.items]);
    cursor = page.next;
  }
  return found;
}

it('API-03 shows up to a thousand tasks in one answer, and the rest in pages', async () => {
  const small = await getRun(node.context, caller(), { id: await submitted(1_000) });
  expect(small.tasks).toHaveLength(1_000);
  expect(small.nextTasks).toBeUndefined();
  const id = await submitted(2_500);
  const run = await getRun(node.context, caller(), { id });
  expect(run.tasks).toHaveLength(1_000);
  const rest = await runTasks(node.context, caller(), { id, cursor: run.nextTasks as string });
  expect(rest.items[0]?.name).toBe('t1000');
  const names = (await pages(id)).flat().map(({ name }) => name);
  expect(names).toEqual(Array.from({ length: 2_500 }, (_, i) => `t${i}`));
  expect(await pages(id, { limit: 600 })).toHaveLength(5);
});

it('leaves only tasks in a state, and shows those of an ended run too', async () => {
  const id = await submitted(1_200);
  expect((await pages(id, { state: 'FAILED' })).flat()).toEqual([]);
  await cancelRun(node.context, caller(), { id });
  expect((await pages(id, { state: 'CANCELLED' })).flat()).toHaveLength(1_200);
  expect((await pages(id, { state: 'QUEUED', limit: 10 })).flat()).toEqual([]);
});

it('answers for an absent run and another tenant alike', async () => {
  const id = await submitted(2);
  const foreign = caller({ tenant: 'other' });
  await expect(runTasks(node.context, foreign, { id })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(runTasks(node.context, caller(), { id: 'x' })).rejects.toMatchObject({
    code: 'not_found',
  });
});
