import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandNode } from '../testing/command-node.ts';
import { EXAMPLE_COMMAND, EXAMPLE_JOBS } from './example-jobs.ts';

let node: CommandNode;
beforeAll(async () => {
  node = await CommandNode.start();
});
afterAll(() => node.stop());

describe('the example jobs, which dev defines without the check of their shape,', () => {
  it.each([...EXAMPLE_JOBS, EXAMPLE_COMMAND])('pass it: $name', async ({ name, definition }) => {
    await expect(node.define(name, definition)).resolves.toBeUndefined();
  });
});
