import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FastHandlers } from './fast-handlers.ts';

describe('fast handlers', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** Starts one handler, which then blocks for this long. */
  function start(fast: FastHandlers, blocksMs: number): void {
    fast.started('mail', 0);
    fast.turnStarted(new Set(['mail']));
    vi.advanceTimersByTime(blocksMs);
    fast.turnEnded();
  }

  it('start without blocking', () => {
    const fast = new FastHandlers();
    expect(fast.has('mail')).toBe(false);
    fast.started('mail', 1);
    expect(fast.has('mail')).toBe(true);
    fast.started('mail', 20);
    expect(fast.has('mail')).toBe(false);
  });

  it('count as slow after blocking behind their start, for a hundred times as long', () => {
    const fast = new FastHandlers();
    start(fast, 300);
    expect(fast.has('mail')).toBe(false);
    vi.advanceTimersByTime(29_990);
    expect(fast.has('mail')).toBe(false);
    vi.advanceTimersByTime(10);
    expect(fast.has('mail')).toBe(true);
  });

  it('stay fast where many messages of one turn take long together', () => {
    const fast = new FastHandlers();
    for (let message = 0; message < 16; message += 1) start(fast, 40);
    expect(fast.has('mail')).toBe(true);
  });

  it('stay fast while the worker waits for the next message', () => {
    const fast = new FastHandlers();
    start(fast, 1);
    vi.advanceTimersByTime(60_000);
    fast.turnEnded();
    expect(fast.has('mail')).toBe(true);
  });

  it('stay slow after a quick start in the message that had a slow one', () => {
    const fast = new FastHandlers();
    start(fast, 0);
    for (const ms of [1, 20, 1]) fast.started('mail', ms);
    expect(fast.has('mail')).toBe(false);
    fast.turnEnded();
    fast.started('mail', 1);
    expect(fast.has('mail')).toBe(true);
  });

  it('count as slow after a long start, and for good if it was too long', () => {
    const fast = new FastHandlers();
    fast.started('mail', 300);
    fast.turnEnded();
    start(fast, 0);
    expect(fast.has('mail')).toBe(false);
    vi.advanceTimersByTime(30_000);
    expect(fast.has('mail')).toBe(true);
    start(fast, 6_000);
    vi.advanceTimersByTime(24 * 3_600_000);
    expect(fast.has('mail')).toBe(false);
  });
});
