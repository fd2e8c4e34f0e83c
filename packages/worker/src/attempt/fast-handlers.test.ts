import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Briskness } from './fast-handlers.ts';

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

  it('is not won back by a quick start in the message that had a slow one', () => {
    const briskness = new Briskness();
    start(briskness, 0);
    for (const ms of [1, 20, 1]) briskness.started('mail', ms);
    expect(briskness.is('mail')).toBe(false);
    briskness.goneOn();
    briskness.started('mail', 1);
    expect(briskness.is('mail')).toBe(true);
  });

  it('is lost by a long start as by blocking behind it, and for good where it was too long', () => {
    const briskness = new Briskness();
    briskness.started('mail', 300);
    briskness.goneOn();
    start(briskness, 0);
    expect(briskness.is('mail')).toBe(false);
    vi.advanceTimersByTime(30_000);
    expect(briskness.is('mail')).toBe(true);
    start(briskness, 6_000);
    vi.advanceTimersByTime(24 * 3_600_000);
    expect(briskness.is('mail')).toBe(false);
  });
});
