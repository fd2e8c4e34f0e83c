import { describe, expect, expectTypeOf, it } from 'vitest';
import { type InputOf, type Job, job, type OutputOf, toDefinition } from './job.ts';
import { task } from './task.ts';

describe('job', () => {
  it('EXT-08 infers input and output from the handler', () => {
    const hello = job('hello', { retry: { maxAttempts: 3 } }, async (input: { name: string }) => {
      return `hello, ${input.name}`;
    });
    expectTypeOf(hello).toEqualTypeOf<Job<{ name: string }, string>>();
    expectTypeOf<InputOf<typeof hello>>().toEqualTypeOf<{ name: string }>();
    expectTypeOf<OutputOf<typeof hello>>().toEqualTypeOf<string>();
    expect(toDefinition(hello)).toEqual({ tasks: [{ retry: { maxAttempts: 3 } }] });
    expect([...hello.handlers.keys()]).toEqual(['hello']);
  });

  it('takes nothing where the handler takes nothing, and may answer at once', () => {
    const tick = job('tick', () => 7);
    expectTypeOf(tick).toEqualTypeOf<Job<undefined, number>>();
    expect(toDefinition(tick)).toEqual({});
  });

  it('keeps what is of the job apart from what is of its task', () => {
    const report = job(
      'report',
      {
        priority: 'P0',
        description: 'daily figures',
        labels: { team: 'finance' },
        workerLabels: { disk: 'ssd' },
        timeout: 60_000,
      },
      () => null,
    );
    expect(toDefinition(report)).toEqual({
      priority: 'P0',
      description: 'daily figures',
      labels: { team: 'finance' },
      tasks: [{ workerLabels: { disk: 'ssd' }, timeout: 60_000 }],
    });
  });

  it('is a command or a request without any handler', () => {
    const list = job('list', { command: ['ls', '-l'] });
    const ping = job('ping', { http: 'https://example.com/ping', retry: { maxAttempts: 2 } });
    const post = job('post', { http: { url: 'https://example.com/', method: 'POST' } });
    expectTypeOf(list).toEqualTypeOf<Job<unknown, unknown>>();
    expect(toDefinition(list)).toEqual({ tasks: [{ command: { argv: ['ls', '-l'] } }] });
    expect(toDefinition(ping)).toEqual({
      tasks: [{ http: { url: 'https://example.com/ping' }, retry: { maxAttempts: 2 } }],
    });
    expect(toDefinition(post)).toEqual({
      tasks: [{ http: { url: 'https://example.com/', method: 'POST' } }],
    });
    expect(list.handlers.size + ping.handlers.size).toBe(0);
  });
});

describe('a job of several tasks', () => {
  const pipeline = job('pipeline', {
    priority: 'P2',
    tasks: {
      extract: task(async (_input: { day: string }) => [1, 2, 3]),
      compress: task({ after: ['extract'], command: ['gzip'] }),
      load: task({ after: ['extract', 'compress'] }, async (_input: { table: string }) => 3),
    },
  });

  it('takes what all of its tasks take and gives what its last task gives', () => {
    expectTypeOf<InputOf<typeof pipeline>>().toEqualTypeOf<{ day: string } & { table: string }>();
    expectTypeOf<OutputOf<typeof pipeline>>().toEqualTypeOf<number>();
  });

  it('names its tasks, whom they wait for and their handlers', () => {
    expect(toDefinition(pipeline)).toEqual({
      priority: 'P2',
      tasks: [
        { name: 'extract', handler: 'pipeline.extract' },
        { name: 'compress', after: ['extract'], command: { argv: ['gzip'] } },
        { name: 'load', after: ['extract', 'compress'], handler: 'pipeline.load' },
      ],
    });
    expect([...pipeline.handlers.keys()]).toEqual(['pipeline.extract', 'pipeline.load']);
  });

  it('refuses a task that waits for one that is not there, when compiled and when run', () => {
    const broken = () =>
      job('broken', {
        tasks: {
          extract: task(() => 1),
          // @ts-expect-error `extrct` is no task of the job
          load: task({ after: ['extrct'] }, () => 2),
        },
      });
    expect(broken).toThrow(
      'task load of job broken comes after extrct, which is not a task of the job',
    );
  });
});
