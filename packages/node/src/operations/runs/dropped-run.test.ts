import { createMemoryStore } from '@signalbox/store/memory';
import { afterEach, describe, expect, it } from 'vitest';
import { sweep } from '../../retention/retention.ts';
import { submitRuns } from '../index.ts';
import { caller, SmallNode, turn } from '../testing/small-node.ts';

const DAY = 86_400_000;
const nodes: SmallNode[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

/** A run under the key `k` has ended, and retention has dropped it since. */
async function afterDrop(keysMs: number) {
  const clock = { now: 20_000 * DAY + 5_000 };
  const disk = createMemoryStore({ now: () => clock.now });
  const node = await SmallNode.start({ disk });
  nodes.push(node);
  await node.define('mail');
  await node.define('report');
  node.attach('w', () => ({ kind: 'succeeded', output: null }));
  const id = await node.submit({ job: 'mail', idempotencyKey: 'k' });
  while (disk.snapshot().ends.length === 0) await turn();
  clock.now += 100 * DAY;
  const settings = { historyMs: 90 * DAY, keysMs, factsMs: 0, everyMs: 1 };
  // The first seals what the second drops.
  for (const _ of [1, 2]) await sweep(disk, settings);
  expect(disk.snapshot().runs).toEqual([]);
  const submit = (job: string) =>
    submitRuns(node.context, caller(), { items: [{ job, idempotencyKey: 'k' }], single: true });
  const known = () =>
    node.context.loop.engine.core.keys.get('acme', 'k', node.context.loop.engine.core.now);
  expect(known()).toBeDefined();
  return { id, submit, known };
}

describe('a key whose run retention has dropped', () => {
  it('is forgotten in memory too, where the store has forgotten it: nothing is acknowledged in vain', async () => {
    const { submit, known } = await afterDrop(7 * DAY);
    await expect(submit('report')).rejects.toMatchObject({ code: 'unavailable' });
    // Asked again, it is a submission like any other.
    expect(known()).toBeUndefined();
  });

  it('is refused while the store has it: what it was given for cannot be compared any more', async () => {
    const { id, submit } = await afterDrop(400 * DAY);
    const refused = { code: 'idempotency_conflict', message: expect.stringContaining(id) };
    await expect(submit('report')).rejects.toMatchObject(refused);
    await expect(submit('mail')).rejects.toMatchObject(refused);
  });
});
