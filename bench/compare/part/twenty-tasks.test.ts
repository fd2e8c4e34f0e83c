import { expect, it } from 'vitest';
import { payloads } from './payload.ts';
import { runsOfTwenty, TWENTY_TASKS, taskOfTwenty } from './twenty-tasks.ts';

it('has twenty tasks, each behind those that it waits for', () => {
  expect(TWENTY_TASKS).toHaveLength(20);
  const before = new Set<string>();
  for (const { name, after } of TWENTY_TASKS) {
    expect(after.every((parent) => before.has(parent))).toBe(true);
    before.add(name);
  }
  expect(before.size).toBe(20);
});

it('counts every task of a batch once, as a task of one of its runs', () => {
  const runs = runsOfTwenty(payloads(40, 60));
  const counted = runs.flatMap((input) => TWENTY_TASKS.map((_, i) => taskOfTwenty(input, i).id));
  expect(counted).toEqual(payloads(40, 60).map(({ id }) => id));
  expect(() => runsOfTwenty(payloads(0, 30))).toThrow('30 tasks are no runs of 20');
});
