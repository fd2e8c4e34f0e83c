import { parseRunId } from '@signalbox/engine';
import { createMemoryStore } from '@signalbox/store/memory';
import { expect, it, vi } from 'vitest';
import { faulty } from '../../loop/testing/faulty-store.ts';
import { caller, SILENT, SmallNode, turn } from '../testing/small-node.ts';
import { diagnoseTask } from './diagnose-task.ts';

it('I20 a diagnosis shows no state of a task before it is durable', async () => {
  const disk = createMemoryStore({ now: () => Date.now() });
  let gate: Promise<void> | null = null;
  const store = faulty(disk, (real) => ({
    append: async (commit) => {
      await gate;
      return real.append(commit);
    },
  }));
  const node = await SmallNode.start({ disk, store });
  await node.define('mail');
  const id = await node.submit({ job: 'mail' });
  const { partition, seq } = parseRunId(id) ?? { partition: -1, seq: -1 };
  const { loop } = node.context;
  const stateOf = () => loop.engine.core.books.get(partition)?.runs.get(seq)?.tasks[0]?.state;
  const { promise, resolve: release } = Promise.withResolvers<void>();
  // Just when the view has become durable, the task is assigned in memory and the commit of it hangs.
  vi.spyOn(loop, 'durable').mockImplementationOnce(async () => {
    gate = promise;
    node.attach('w', SILENT);
    while (stateOf() !== 'ASSIGNED') await turn();
  });
  let isDone = false;
  const told = diagnoseTask(node.context, caller(), { id: `${id}:main` }).finally(() => {
    isDone = true;
  });
  while (stateOf() !== 'ASSIGNED') await turn();
  for (let i = 0; i < 20; i++) await turn();
  expect(isDone).toBe(false);
  release();
  expect(await told).toMatchObject({ state: 'ASSIGNED' });
  await node.stop();
});
