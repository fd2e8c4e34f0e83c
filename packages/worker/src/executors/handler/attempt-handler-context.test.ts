import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeAttempt } from '../testing/fake-attempt.ts';
import type { Handler } from './handler.ts';
import { runHandler } from './run-handler.ts';

afterEach(() => vi.restoreAllMocks());

describe('the context of a handler', () => {
  it('can be taken apart: no function of it needs its object', async () => {
    const attempt = fakeAttempt();
    const progress = vi.spyOn(attempt, 'progress');
    const save = vi.spyOn(attempt, 'saveCheckpoint');
    const handler: Handler = async (
      _input,
      { log, progress: tell, extend, checkpoint, signal },
    ) => {
      const { info, error } = log;
      const { load, save: keep, offer } = checkpoint;
      info('begun', { rows: 2 });
      error('odd');
      tell(0.5);
      offer(() => 'offered');
      await keep({ page: 7 });
      return [load(), await extend(100), signal.aborted];
    };
    const result = await runHandler(handler, attempt);
    expect(result).toMatchObject({ kind: 'succeeded' });
    expect(new TextDecoder().decode(result.output as Uint8Array)).toBe('[null,false,false]');
    expect(attempt.logged.log.trim().split('\n')).toEqual([
      '{"level":"info","message":"begun","rows":2}',
      '{"level":"error","message":"odd"}',
    ]);
    expect(progress.mock.calls).toEqual([[0.5]]);
    expect(new TextDecoder().decode(save.mock.calls[0]?.[0])).toBe('{"page":7}');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, undefined, '0.5'])(
    'refuses a progress of %s, in the handler',
    async (value) => {
      const attempt = fakeAttempt();
      const progress = vi.spyOn(attempt, 'progress');
      const result = await runHandler((_input, context) => {
        context.progress(value as number);
      }, attempt);
      expect(result).toMatchObject({
        kind: 'failed',
        error: expect.stringContaining(`progress() must be a number from 0 to 1, not ${value}`),
      });
      expect(progress).not.toHaveBeenCalled();
    },
  );

  it('tells a run of a schedule its window, and any other that it has none', async () => {
    const at = Date.UTC(2030, 0, 15, 2);
    const handler: Handler = (_input, { window }) => [window, window?.at instanceof Date];
    const window = { schedule: 'nightly', at, kind: 'backfill' } as const;
    const { output } = await runHandler(handler, fakeAttempt({ assign: { window } }));
    expect(JSON.parse(new TextDecoder().decode(output as Uint8Array))).toEqual([
      { schedule: 'nightly', at: '2030-01-15T02:00:00.000Z', kind: 'backfill' },
      true,
    ]);
    const none = await runHandler((_input, context) => context.window === undefined, fakeAttempt());
    expect(new TextDecoder().decode(none.output as Uint8Array)).toBe('true');
  });

  it('gives the same log and the same checkpoint each time', async () => {
    const handler: Handler = (_input, context) =>
      new Set([context.log, context.log, context.checkpoint, context.checkpoint]).size;
    const { output } = await runHandler(handler, fakeAttempt());
    expect(new TextDecoder().decode(output as Uint8Array)).toBe('2');
  });

  it('works out ids, hash and signal only for a handler that reads them', async () => {
    const attempt = fakeAttempt();
    const read: string[] = [];
    const watch = <T extends object>(of: T, names: readonly (keyof T & string)[]) => {
      for (const name of names) {
        const value = of[name];
        const get = () => {
          read.push(name);
          return value;
        };
        Object.defineProperty(of, name, { get });
      }
    };
    watch(attempt.assign, ['id', 'idempotencyKey', 'inputHash']);
    watch(attempt, ['signal']);
    await runHandler((_input, { job, task, attempt: number }) => [job, task, number], attempt);
    expect(read).toEqual([]);
    await runHandler((_input, { attemptId, signal }) => [attemptId, signal.aborted], attempt);
    expect(read).toEqual(['id', 'signal']);
  });

  it('shows a deadline that an extension has moved', async () => {
    const attempt = { ...fakeAttempt(), deadline: 1_000 as number | null };
    const handler: Handler = (_input, context) => {
      const before = context.deadline?.getTime();
      attempt.deadline = 2_000;
      const after = context.deadline?.getTime();
      attempt.deadline = null;
      return [before, after, context.deadline];
    };
    const { output } = await runHandler(handler, attempt);
    expect(new TextDecoder().decode(output as Uint8Array)).toBe('[1000,2000,null]');
  });
});
