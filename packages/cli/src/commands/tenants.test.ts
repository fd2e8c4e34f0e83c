import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandNode } from '../testing/command-node.ts';

let node: CommandNode;
beforeAll(async () => {
  node = await CommandNode.start();
});
afterAll(() => node.stop());

const set = async (...options: string[]) => {
  const { out } = await node.run(['tenants', 'update', 'acme', ...options, '--json']);
  return (JSON.parse(out) as { definition: unknown }).definition;
};

it('signalbox tenants update changes what it names and keeps everything else', async () => {
  expect(await set('--weight', '1', '--min-jitter', '5s')).toEqual({
    weight: 1,
    minJitter: '5s',
  });
  expect(await set('--weight', '2')).toEqual({ weight: 2, minJitter: '5s' });
  expect(await set('--max-running', '7')).toEqual({
    ...{ weight: 2, minJitter: '5s' },
    maxRunning: 7,
  });
  expect(await set('--max-running', 'none', '--min-jitter', 'none')).toEqual({ weight: 2 });
  expect((await node.run(['tenants', 'update', 'acme'])).code).toBe(2);
  expect((await node.run(['tenants', 'update', 'acme', '--weight', 'much'])).code).toBe(2);
});
