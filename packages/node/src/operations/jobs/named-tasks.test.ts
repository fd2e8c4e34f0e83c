import { expect, it } from 'vitest';
import { namedTasks } from './named-tasks.ts';

it.each([
  ['tasks.a.output > 1 && tasks["b-c"].state == \'FAILED\'', ['a', 'b-c']],
  ["tasks['x'].output", ['x']],
  ['tasks . a . output == 1', ['a']],
  ['event.type == "tasks.done" || input.tasks.a == 1', []],
  ['mytasks.a == 1 && input["tasks.b"] == 2', []],
  ['tasks[input.name].output == 1', []],
])('%s names %j', (expression, names) => {
  expect(namedTasks(expression)).toEqual(names);
});
