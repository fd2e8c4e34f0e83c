import { describe, expect, it } from 'vitest';
import { isolated, job, type Pipeline, pipeline, task } from './index.ts';

/** As a file says it whose types nobody has checked. */
const unchecked = (options: object) => options as never;

describe('a setting that is not known', () => {
  it('is refused by a job, with all of them and what was probably meant', () => {
    const options = unchecked({ retries: 3, timeoutMs: 5_000, colour: 'red', zone: 'eu' });
    expect(() => job('mail', options, () => 1)).toThrow(
      'the job mail has no option "retries" (did you mean "retry"?) or "timeoutMs" (did you mean "timeout"?) or "colour"; the options are priority, overlap, description, labels, command, http, retry, ',
    );
    expect(() => job('list', unchecked({ comand: ['ls'] }))).toThrow('did you mean "command"?');
  });

  it('is refused by a job of several tasks, which has no settings of one task', () => {
    const tasks = { one: task(() => 1) };
    expect(() => job('two', unchecked({ tasks, retry: { maxAttempts: 1 } }))).toThrow(
      'the job two has no option "retry"; the options are priority, overlap, description, labels, tasks',
    );
  });

  it('is refused in a task of a job by the names of both', () => {
    const one = task(unchecked({ afer: [] }), () => 1);
    expect(() => job('two', { tasks: { one } })).toThrow(
      'the task one of the job two has no option "afer" (did you mean "after"?)',
    );
  });

  it('is refused by a pipeline and by a handler in a file of its own', () => {
    expect(() =>
      pipeline('etl', unchecked({ failurepolicy: 'CONTINUE' }), () => undefined),
    ).toThrow('the pipeline etl has no option "failurepolicy" (did you mean "failurePolicy"?)');
    expect(() => isolated('/a.ts', unchecked({ exports: 'a' }))).toThrow(
      'the isolated handler /a.ts has no option "exports" (did you mean "export"?)',
    );
  });

  const other = job('other', () => 1);
  const first = (p: Pipeline) => p.task('first', () => [1]);
  it.each<[string, string, (p: Pipeline) => unknown]>([
    ['timeouts', 'timeout', (p) => p.task('y', unchecked({ timeouts: 5 }), () => 1)],
    ['form', 'from', (p) => p.fanOut('y', unchecked({ from: first(p).output, form: 1 }), () => 1)],
    ['input', 'inputs', (p) => p.dynamic('y', unchecked({ input: {} }), () => ({ tasks: [] }))],
    ['untill', 'until', (p) => p.sleep('y', unchecked({ untill: '2030-01-31' }))],
    ['mesage', 'message', (p) => p.approval('y', unchecked({ mesage: 'sure?' }))],
    ['filtr', 'filter', (p) => p.event('y', unchecked({ type: 'paid', filtr: 'true' }))],
    ['inptus', 'inputs', (p) => p.run('y', other, unchecked({ inptus: {} }))],
  ])('%s is refused in a task of a pipeline', (typed, meant, add) => {
    const made = () =>
      pipeline('etl', (p: Pipeline) => {
        add(p);
        return undefined;
      });
    expect(made).toThrow(
      `the task y of the pipeline etl has no option "${typed}" (did you mean "${meant}"?)`,
    );
  });

  it.each<[string, (options: never) => unknown]>([
    ['job mail', (options) => job('mail', options, () => 1)],
    ['task one of the job two', (o) => job('two', { tasks: { one: task(o, () => 1) } })],
    ['task y of the pipeline etl', (o) => pipeline('etl', (p) => p.task('y', o, () => 1))],
    [
      'task y of the pipeline etl',
      (o: object) =>
        pipeline('etl', (p) => p.fanOut('y', { ...o, from: first(p).output }, () => 1)),
    ],
  ])('is refused within retry: %s', (of, make) => {
    expect(() => make(unchecked({ retry: { maxAttempt: 3 } }))).toThrow(
      `retry of the ${of} has no option "maxAttempt" (did you mean "maxAttempts"?); the options are maxAttempts, `,
    );
    expect(() => make(unchecked({ retry: { backof: 3, tries: 1 } }))).toThrow(
      `retry of the ${of} has no option "backof" (did you mean "backoff"?) or "tries"; the options are `,
    );
  });

  it('is one that another kind of task has: nothing would come of it', () => {
    const made = (add: (p: Pipeline) => unknown) => () =>
      pipeline('etl', (p: Pipeline) => {
        add(p);
        return undefined;
      });
    const from = made((p) => p.task('y', unchecked({ from: first(p) }), () => 1));
    expect(from).toThrow('has no option "from"');
    expect(made((p) => p.sleep('y', unchecked({ for: 1, retry: {} })))).toThrow('"retry"');
  });
});
