import { expect, it } from 'vitest';
import { drillLostTasks } from './lost-tasks.ts';

it('of 10,000 tasks none is lost, open or made twice when their process is killed on the way', async () => {
  const result = await drillLostTasks({ tasks: 10_000, lifeMs: () => 100, killsMax: 1 });
  expect(result).toEqual({ tasks: 10_000, kills: 1, lost: 0, open: 0, doubled: 0, unhandled: 0 });
}, 110_000);
