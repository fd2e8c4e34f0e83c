import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Briskness } from './briskness.ts';

describe('briskness', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** Starts one handler, which then blocks for so long. */
  function start(briskness: Briskness, blocksMs: number): void {
    briskness.started('mail', 0);
    briskness.letGo(new Set(['mail']));
    vi.advanceTimersByTime(blocksMs);
    briskness.goneOn();
  }

  it('is of those that start without blocking', () => {
    const briskness = new Briskness();
    expect(briskness.is('mail')).toBe(false);
    briskness.started('mail', 1);
    expect(briskness.is('mail')).toBe(true);
    briskness.started('mail', 20);
    expect(briskness.is('mail')).toBe(false);
  });

  it('is lost by blocking behind the start, and comes back after a hundred times as long', () => {
    const briskness = new Briskness();
    start(briskness, 300);
    expect(briskness.is('mail')).toBe(false);
    vi.advanceTimersByTime(29_990);
    expect(briskness.is('mail')).toBe(false);
    vi.advanceTimersByTime(10);
    expect(briskness.is('mail')).toBe(true);
  });

  it('is not lost where many messages of one turn take long together', () => {
    const briskness = new Briskness();
    for (let message = 0; message < 16; message += 1) start(briskness, 40);
    expect(briskness.is('mail')).toBe(true);
  });

  it('is not lost to the wait for the next message', () => {
    const briskness = new Briskness();
    start(briskness, 1);
    vi.advanceTimersByTime(60_000);
    briskness.goneOn();
    expect(briskness.is('mail')).toBe(true);
  });
});
