import { describe, expect, it } from 'vitest';
import { cel, job, type Pipeline, pipeline, type Step, toDefinition } from '../index.ts';

interface Day {
  readonly day: string;
}

const audit = job('audit', (input: { rows: number }) => input.rows);

describe('pipeline', () => {
  it('says everything that a definition can say', () => {
    const etl = pipeline(
      'etl',
      {
        priority: 'P2',
        failurePolicy: 'SKIP_FAILED',
        allowPartial: false,
        limits: { maxFanOut: 500 },
        notify: { onFailure: [{ url: 'https://example.com/hook' }] },
        expectedDuration: '1m',
      },
      (p: Pipeline<Day>) => {
        const list = p.task('list', { retry: { maxAttempts: 5 } }, () => ({ files: ['a', 'b'] }));
        const night = p.sleep('night', { for: 1_000 });
        const convert = p.fanOut(
          'convert',
          { from: list.output.files, after: [night], zone: 'eu' },
          ({ item }) => item.length,
        );
        const zip = p.task('zip', { command: ['gzip'], after: [list], ifParentSkipped: 'run' });
        const more = p.dynamic('more', { after: [zip] }, () => ({ tasks: [] }));
        const sure = p.approval('sure', {
          message: 'load?',
          timeout: 1,
          default: 'reject',
          after: [convert, more],
          when: cel`${list.output.files[0]} != ${'x'} && ${p.input.day} > "2025"`,
        });
        const paid = p.event('paid', { type: 'payment', filter: 'event.data.ok', after: [sure] });
        const nested = p.run('audit', audit, { after: [paid], inputs: { rows: 7 } });
        p.task(
          'load',
          { inputs: { parts: convert, file: list.output.files[1], day: p.input.day, nested } },
          () => null,
        );
      },
    );
    expect(toDefinition(etl)).toEqual({
      priority: 'P2',
      failurePolicy: 'SKIP_FAILED',
      allowPartial: false,
      limits: { maxFanOut: 500 },
      notify: { onFailure: [{ url: 'https://example.com/hook' }] },
      expectedDuration: '1m',
      tasks: [
        { name: 'list', retry: { maxAttempts: 5 }, handler: 'etl.list' },
        { name: 'night', sleep: { for: 1_000 } },
        {
          name: 'convert',
          after: ['night', 'list'],
          fanOut: { from: 'list', path: 'files' },
          zone: 'eu',
          handler: 'etl.convert',
        },
        { name: 'zip', after: ['list'], ifParentSkipped: 'run', command: { argv: ['gzip'] } },
        { name: 'more', after: ['zip'], dynamic: true, handler: 'etl.more' },
        {
          name: 'sure',
          after: ['convert', 'more', 'list'],
          when: 'tasks.list.output.files[0] != "x" && input.day > "2025"',
          approval: { message: 'load?', timeout: 1, default: 'reject' },
        },
        { name: 'paid', after: ['sure'], event: { type: 'payment', filter: 'event.data.ok' } },
        {
          name: 'audit',
          after: ['paid'],
          inputs: { rows: { value: 7 } },
          run: { job: 'audit' },
        },
        {
          name: 'load',
          after: ['convert', 'list', 'audit'],
          inputs: {
            parts: { task: 'convert' },
            file: { task: 'list', path: 'files.1' },
            day: { path: 'day' },
            nested: { task: 'audit' },
          },
          handler: 'etl.load',
        },
      ],
    });
    expect([...etl.handlers.keys()]).toEqual(['etl.list', 'etl.convert', 'etl.more', 'etl.load']);
  });

  it('takes an instant as a date too, and a name that CEL cannot write as a member', () => {
    const { definition } = pipeline('p', (p) => {
      const first = p.sleep('the-first', { until: new Date('2030-01-01T00:00:00Z') });
      p.task('second', { when: cel`${first.output} == null` }, () => 1);
    });
    expect(definition.tasks).toEqual([
      { name: 'the-first', sleep: { until: '2030-01-01T00:00:00.000Z' } },
      {
        name: 'second',
        after: ['the-first'],
        when: 'tasks["the-first"].output == null',
        handler: 'p.second',
      },
    ]);
  });

  it.each<[string, (p: Pipeline<Day>) => Step<unknown> | undefined, string]>([
    [
      'two of a name',
      (p) => p.task('a', { after: [p.task('a', () => 1)] }, () => 2),
      'the task a of the pipeline p is defined twice',
    ],
    ['none at all', () => undefined, 'the pipeline p has no tasks'],
    [
      'a task of another pipeline',
      (p) => p.task('a', { after: [foreign()] }, () => 1),
      'the task a of the pipeline p refers to a task of another pipeline',
    ],
    [
      'a member with a dot',
      (p) => p.task('b', { inputs: { x: p.task('a', dotted).output['a.b'] } }, () => 1),
      'the member "a.b" cannot be used in a path',
    ],
    [
      'an output that is not the last',
      (p) => {
        const a = p.task('a', () => 1);
        p.task('b', { after: [a] }, () => 1);
        return a;
      },
      'the task a of the pipeline p cannot be returned as the last task: no task comes after b either',
    ],
  ])('refuses %s', (_what, build, message) => {
    expect(() => pipeline('p', build)).toThrow(message);
  });
});

const dotted = () => ({ 'a.b': 1 });

function foreign(): Step<number> {
  let found: Step<number> | null = null;
  pipeline('other', (p) => {
    found = p.task('x', () => 1);
    return found;
  });
  if (found === null) throw new Error('the pipeline was not built');
  return found;
}
