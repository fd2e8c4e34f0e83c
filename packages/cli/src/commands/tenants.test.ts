import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandNode } from '../testing/command-node.ts';

let node: CommandNode;
beforeAll(async () => {
  node = await CommandNode.start();
});
afterAll(() => node.stop());

const set = async (...options: string[]) => {
  const { out } = await node.run(['tenants', 'set', 'acme', ...options, '--json']);
  return (JSON.parse(out) as { definition: unknown }).definition;
};

it('signalbox tenants set changes what it names and keeps everything else', async () => {
  expect(await set('--weight', '1', '--jitter-ms-min', '5000')).toEqual({
    weight: 1,
    jitterMsMin: 5_000,
  });
  expect(await set('--weight', '2')).toEqual({ weight: 2, jitterMsMin: 5_000 });
  expect(await set('--running-max', '7')).toEqual({
    ...{ weight: 2, jitterMsMin: 5_000 },
    runningMax: 7,
  });
  expect(await set('--running-max', 'none', '--jitter-ms-min', 'none')).toEqual({ weight: 2 });
  expect((await node.run(['tenants', 'set', 'acme'])).code).toBe(2);
  expect((await node.run(['tenants', 'set', 'acme', '--weight', 'much'])).code).toBe(2);
});
