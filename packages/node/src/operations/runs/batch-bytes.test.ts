import { expect, it } from 'vitest';
import { submitRuns } from '../index.ts';
import { caller, SmallNode } from '../testing/small-node.ts';
import { BATCH_BYTES_MAX } from './submit-runs.ts';

it('a batch with more inputs than one commit takes is refused whole', async () => {
  const node = await SmallNode.start();
  await node.define('mail');
  // One array many times: inputs of this length are stored inline.
  const inputBytes = new Uint8Array(262_144);
  const count = BATCH_BYTES_MAX / inputBytes.length + 1;
  const items = Array.from({ length: count }, () => ({ job: 'mail', inputBytes }));
  await expect(submitRuns(node.context, caller(), { items })).rejects.toMatchObject({
    code: 'too_large',
    field: 'items',
  });
  expect(node.disk.snapshot().runs).toEqual([]);
  await node.stop();
});
