import { parseRunId, type Run, type RunId } from '@signalbox/engine';
import type { TaskView } from '@signalbox/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sealCursor } from '../common/cursors.ts';
import { cancelRun, getRun, getTask, listRuns, runTasks } from '../index.ts';
import { tasksOf } from '../runs/run-view.ts';
import { caller, SmallNode } from '../testing/small-node.ts';

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

it('shows up to a thousand tasks in one answer, and the rest in pages', async () => {
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

it('makes a page at the price of a page, however many tasks there are', async () => {
  const id = await submitted(10_000);
  const { partition, seq } = parseRunId(id) as RunId;
  const run = node.context.loop.engine.core.books.get(partition)?.runs.get(seq) as Run;
  let looked = 0;
  for (const task of run.tasks) {
    const { history } = task;
    const get = () => {
      looked++;
      return history;
    };
    Object.defineProperty(task, 'history', { get });
  }
  const count = async (read: () => Promise<unknown>): Promise<number> => {
    looked = 0;
    await read();
    return looked;
  };
  const page = (more: object) => () => runTasks(node.context, caller(), { id, ...more });
  const tasks = tasksOf('acme', parseRunId(id) as RunId);
  const cursor = await sealCursor(node.context.store, tasks, '9000');
  expect(await count(page({ cursor, limit: 50 }))).toBe(50);
  expect(await count(page({ limit: 7, state: 'QUEUED' }))).toBe(7);
  expect(await count(page({ state: 'FAILED' }))).toBe(0);
  expect(await count(() => getRun(node.context, caller(), { id }))).toBe(1_000);
  expect(await count(() => getTask(node.context, caller(), { id: `${id}:t9999` }))).toBe(1);
  expect(await count(() => listRuns(node.context, caller(), {}))).toBe(0);
});
