import { describe, expect, it } from 'vitest';
import { DEFAULT_REQUEST } from '../model/resources.ts';
import {
  DEFAULT_RETRY,
  DEFAULT_TIMEOUTS,
  type JobDefinition,
  jobSpec,
  type TaskDefinition,
} from '../model/spec.ts';
import { Harness } from '../testing/harness.ts';

/** As a definition comes out of the store: what its author did not know of is not there. */
const read = (body: string) =>
  jobSpec({
    tenant: 'acme',
    job: 'old',
    version: 1,
    definition: JSON.parse(body) as JobDefinition,
  });

describe('an old definition', () => {
  it('DUR-23 that says nothing has every default: one task of class P1 that takes a slot', () => {
    const spec = read('{}');
    expect(spec).toMatchObject({ tenant: 'acme', job: 'old', version: 1, class: 1 });
    expect(spec.tasks).toMatchObject([
      {
        name: 'main',
        after: [],
        before: [],
        retry: DEFAULT_RETRY,
        timeouts: DEFAULT_TIMEOUTS,
        critical: false,
        shape: {
          request: DEFAULT_REQUEST,
          zone: null,
          labels: {},
          prefer: {},
          apart: [],
          executor: null,
        },
      },
    ]);
  });

  it.each([
    ['{"retry":{"attemptsMax":3}}', { retry: { ...DEFAULT_RETRY, attemptsMax: 3 } }],
    ['{"retry":{}}', { retry: DEFAULT_RETRY }],
    ['{"timeouts":{"hardMs":5000}}', { timeouts: { ...DEFAULT_TIMEOUTS, hardMs: 5_000 } }],
    ['{"request":{"cpuMilli":500}}', { shape: { request: { ...DEFAULT_REQUEST, cpuMilli: 500 } } }],
    ['{"labels":{"disk":"ssd"}}', { shape: { labels: { disk: 'ssd' }, request: DEFAULT_REQUEST } }],
    ['{"name":"only"}', { name: 'only', retry: DEFAULT_RETRY }],
  ])('DUR-23 that says only %s has the defaults for the rest', (task, expected) => {
    expect(read(`{"tasks":[${task}]}`).tasks).toMatchObject([expected]);
  });

  it('DUR-23 with fields that nobody knows any more is read as if they were not there', () => {
    const body = '{"class":2,"owner":"ann","tasks":[{"name":"a","colour":"red"}]}';
    expect(read(body)).toEqual(read('{"class":2,"tasks":[{"name":"a"}]}'));
  });

  it('DUR-23 of a graph knows its edges both ways, and fails fast as it always did', () => {
    const tasks: TaskDefinition[] = [{ name: 'a' }, { name: 'b', after: ['a'] }, { name: 'c' }];
    const spec = read(JSON.stringify({ tasks }));
    expect(spec.tasks.map(({ after, before }) => [after, before])).toEqual([
      [[], [1]],
      [[0], []],
      [[], []],
    ]);
    const h = new Harness();
    h.addWorker();
    const run = h.submit({ spec });
    h.acceptAll();
    h.fail(h.attemptOf(run, 0), { class: 'permanent' });
    h.finish(h.attemptOf(run, 2), { kind: 'stopped' });
    expect(run.tasks.map((task) => task.state)).toEqual(['FAILED', 'CANCELLED', 'CANCELLED']);
    expect(run.state).toBe('FAILED');
  });

  it('DUR-23 that waits for a task which is not there is refused, not half read', () => {
    expect(() => read('{"tasks":[{"name":"a","after":["b"]}]}')).toThrow(
      'comes after unknown task b',
    );
  });
});
