import { describe, expect, it } from 'vitest';
import { failureOf, TransientError, toWire } from './errors.ts';
import type { Result } from './executor.ts';

describe('what was thrown', () => {
  it('is told with what caused it, each once', () => {
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED', name: 'Error' });
    const told = (error: unknown) => (failureOf(error) as { error: string }).error;
    expect(told(new TypeError('fetch failed', { cause: refused }))).toBe(
      'TypeError: fetch failed: ECONNREFUSED',
    );
    expect(told(new Error('no row 7', { cause: new Error('no row') }))).toBe('no row 7');
    expect(told(new Error('a', { cause: 'b' }))).toBe('a');
    const round: Error = new Error('round');
    round.cause = new Error('and round', { cause: round });
    expect(told(round)).toContain('round: and round');
  });
});

describe('a result on the wire', () => {
  it('of a success has its duration, and an exit code that the link can carry', () => {
    const output = new Uint8Array([1]);
    expect(toWire({ kind: 'succeeded', output }, 1.6)).toEqual({
      kind: 'succeeded',
      durationMs: 2,
    });
    expect(toWire({ kind: 'succeeded', exitCode: 0, output }, 0)).toEqual({
      kind: 'succeeded',
      exitCode: 0,
      durationMs: 0,
    });
    for (const exitCode of [Number.NaN, 1.5, 2 ** 32]) {
      expect(toWire({ kind: 'succeeded', exitCode, output }, 0)).not.toHaveProperty('exitCode');
    }
  });

  it('of a failure carries what the link can, and never an empty error', () => {
    const failed = failureOf(new TransientError('a\u0000b\ud800', { retryAfter: 1e12 }));
    expect(toWire({ ...failed, exitCode: 3 } as typeof failed, 4)).toEqual({
      kind: 'failed',
      error: 'TransientError: ab\ufffd',
      class: 'transient',
      retryAfterMs: 31_536_000_000,
      exitCode: 3,
      durationMs: 4,
    });
    expect(toWire({ kind: 'failed', error: '\u0000', output: null }, 0)).toEqual({
      kind: 'failed',
      error: 'failed without an error message',
      durationMs: 0,
    });
  });

  it.each([Number.NaN, -1, Number.NEGATIVE_INFINITY])('leaves out a Retry-After of %s', (after) => {
    const failed = failureOf(new TransientError('later', { retryAfter: after }));
    expect(toWire(failed, 0)).not.toHaveProperty('retryAfterMs');
  });

  it('of an executor that returned odd fields carries what can be read', () => {
    const odd = { kind: 'failed', error: 7, class: 'odd', output: null } as unknown as Result;
    expect(toWire(odd, 0)).toEqual({ kind: 'failed', error: '7', durationMs: 0 });
  });

  it('of an error whose members throw says that it cannot be shown', () => {
    const error = new Error('x');
    Object.defineProperty(error, 'message', {
      get: () => {
        throw new Error('never');
      },
    });
    expect(failureOf(error)).toMatchObject({ error: 'an error that cannot be converted to text' });
  });

  it('of what has stopped says that and nothing else', () => {
    expect(toWire({ kind: 'stopped', output: null }, 9)).toEqual({ kind: 'stopped' });
  });
});
