import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LongTimer } from './long-timer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const DAY_MS = 86_400_000;

describe('a long timer', () => {
  it.each([0, 1, 2 ** 31 - 1, 2 ** 31, 365 * DAY_MS])('waits %d ms, no more and no less', (ms) => {
    let fired = 0;
    new LongTimer(() => fired++, ms);
    vi.advanceTimersByTime(Math.max(0, ms - 1));
    expect(fired).toBe(ms === 0 ? 1 : 0);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is gone when it is cancelled, also after a step', () => {
    const timer = new LongTimer(() => {
      throw new Error('never');
    }, 60 * DAY_MS);
    vi.advanceTimersByTime(30 * DAY_MS);
    timer.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });
});
