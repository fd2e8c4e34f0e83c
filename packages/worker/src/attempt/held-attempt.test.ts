import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeAttempt } from '../executors/testing/fake-attempt.ts';
import type { Link } from '../link/link.ts';
import { type AttemptOwner, HeldAttempt } from './held-attempt.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const { assign } = fakeAttempt({ graceMs: 5_000 });

function hold() {
  const owner: AttemptOwner = {
    progressed: vi.fn(),
    reportProgress: vi.fn(),
    saveCheckpoint: async () => {},
    overdue: vi.fn(),
    moved: vi.fn(),
  };
  const link = { welcomed: true, congested: false, send: vi.fn() as Link['send'] } as Link;
  return { owner, held: new HeldAttempt({ assign, link, owner }) };
}

describe('an attempt that is held', () => {
  it('makes no signal unless somebody reads it or stops it', () => {
    const made = vi.fn(AbortController);
    vi.stubGlobal('AbortController', made);
    const { held } = hold();
    held.life.to('executing');
    held.disarm();
    expect([held.isAborted, held.graceMs, held.isOver]).toEqual([false, 5_000, false]);
    expect(made).not.toHaveBeenCalled();
    expect(held.signal.aborted).toBe(false);
    expect(held.signal).toBe(held.signal);
    expect(made).toHaveBeenCalledTimes(1);
  });

  it('refuses a progress that is no number, and keeps what it had', () => {
    const { owner, held } = hold();
    held.life.to('executing');
    held.progress(0.5);
    expect(() => held.progress(Number.NaN)).toThrow(RangeError);
    expect(held.progressValue).toBe(0.5);
    expect(owner.progressed).toHaveBeenCalledTimes(1);
  });

  it('shows the signal, its reason and what is left to one who looks after it was stopped', () => {
    const { held } = hold();
    held.stop({ why: 'cancelled', signalMs: 0, graceMs: 300 });
    expect([held.isAborted, held.signal.aborted, held.signal.reason]).toEqual([
      true,
      true,
      'cancelled',
    ]);
    expect(held.graceMs).toBeLessThanOrEqual(300);
    held.disarm();
  });

  it('fires the signal it gave out, then forces, unless it is disarmed before', () => {
    vi.useFakeTimers();
    const { held, owner } = hold();
    const { signal } = held;
    held.stop({ why: 'drained', signalMs: 100, graceMs: 200 });
    vi.advanceTimersByTime(99);
    expect([held.isAborted, held.graceMs]).toEqual([false, 5_000]);
    vi.advanceTimersByTime(1);
    expect([held.isAborted, signal.reason, held.graceMs]).toEqual([true, 'drained', 200]);
    vi.advanceTimersByTime(199);
    expect(owner.overdue).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(owner.overdue).toHaveBeenCalledExactlyOnceWith(held);
    const stopped = hold();
    stopped.held.stop({ why: 'drained', signalMs: 100, graceMs: 200 });
    stopped.held.disarm();
    vi.advanceTimersByTime(1_000);
    expect(stopped.held.isAborted).toBe(false);
    expect(stopped.owner.overdue).not.toHaveBeenCalled();
  });

  it('is over when it has a result or is forgotten', () => {
    const { held } = hold();
    held.life.to('forgotten');
    expect(held.isOver).toBe(true);
    const ended = hold().held;
    ended.finish = { kind: 'finish', ref: ended.ref, result: { kind: 'stopped' }, output: null };
    expect(ended.isOver).toBe(true);
  });

  it('answers extensions in their order, and refuses those that nobody will answer', async () => {
    const { held } = hold();
    held.extended(true, 1_000);
    const asked = [held.extend(10), held.extend(10), held.extend(10)];
    held.extended(true, null);
    held.refuseExtends();
    expect(await Promise.all(asked)).toEqual([true, false, false]);
    expect(held.deadline).toBeNull();
  });

  it('refuses an extension that is not answered, and gives a later answer to the next', async () => {
    vi.useFakeTimers();
    const { held } = hold();
    const lost = held.extend(10);
    await vi.advanceTimersByTimeAsync(29_999);
    const next = held.extend(10);
    await vi.advanceTimersByTimeAsync(1);
    expect(await lost).toBe(false);
    held.extended(true, null);
    expect(await next).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    const over = held.extend(10);
    held.disarm();
    expect([await over, vi.getTimerCount()]).toEqual([false, 0]);
  });
});
