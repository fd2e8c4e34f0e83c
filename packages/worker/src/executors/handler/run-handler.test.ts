import { describe, expect, it } from 'vitest';
import type { Result } from '../../executor.ts';
import { fakeAttempt } from '../testing/fake-attempt.ts';
import type { Handler } from './handler.ts';
import { runHandler } from './run-handler.ts';

function textOf({ output }: Result): string | null {
  return output === null ? null : new TextDecoder().decode(output);
}

describe('calling a handler', () => {
  it.each<[string, Handler]>([
    ['a value', () => 7],
    ['a promise', async () => 7],
    ['a thenable that is no promise', () => thenable((done) => done(7))],
  ])('takes %s for the output', async (_name, handler) => {
    expect(textOf(await runHandler(handler, fakeAttempt()))).toBe('7');
  });

  it.each<[string, Handler]>([
    ['throws', () => raise()],
    ['rejects', async () => raise()],
    ['answers a thenable that throws', () => thenable(raise)],
    [
      'answers what cannot be asked for its then',
      () => Object.defineProperty({}, 'then', { get: raise }),
    ],
  ])('fails where it %s, and logs where that was', async (_name, handler) => {
    const attempt = fakeAttempt();
    const result = await runHandler(handler, attempt);
    expect(result).toMatchObject({ kind: 'failed', error: 'TypeError: no', output: null });
    expect(attempt.logged.stderr).toContain('run-handler.test');
    expect(attempt.logged.stderr).not.toContain('run-handler.ts');
  });

  it('takes the first result of a thenable that calls back twice, and logs no later failure', async () => {
    const attempt = fakeAttempt();
    const twice = {
      value: (done: (value: number) => void, raised: (error: Error) => void) => {
        done(7);
        raised(new Error('late'));
      },
    };
    const result = await runHandler(() => Object.defineProperty({}, 'then', twice), attempt);
    expect(textOf(result)).toBe('7');
    expect(attempt.logged.stderr).toBe('');
  });

  it('logs what caused it', async () => {
    const attempt = fakeAttempt();
    await runHandler(() => {
      throw new Error('no answer', { cause: new Error('refused') });
    }, attempt);
    expect(attempt.logged.stderr).toMatch(/no answer[\s\S]*\ncaused by Error: refused\n/);
  });

  it('logs no stack of what was thrown because it was told to stop', async () => {
    const attempt = fakeAttempt();
    const result = await runHandler(() => {
      attempt.abort();
      raise();
    }, attempt);
    expect(result.kind).toBe('failed');
    expect(attempt.logged.stderr).toBe('');
  });

  it('has no output where the handler returns nothing, and no input where there is none', async () => {
    let seen: unknown = 'not called';
    const result = await runHandler((input) => {
      seen = input;
    }, fakeAttempt());
    expect(result).toEqual({ kind: 'succeeded', output: null });
    expect(seen).toBeUndefined();
  });
});

function thenable(then: (done: (value: number) => void) => void): object {
  return Object.defineProperty({}, 'then', { value: then });
}

function raise(): never {
  throw new TypeError('no');
}
