import { describe, expect, it } from 'vitest';
import { BackPressure } from './back-pressure.ts';

describe('back-pressure', () => {
  it('lets through what fits below the cap, and the rest when something is done', async () => {
    const pressure = new BackPressure({ cap: 10, submitted: 0, done: 0 });
    expect(await pressure.take(6)).toBe(0);
    let second: number | null | undefined;
    const waiting = pressure.take(6).then((first) => {
      second = first;
    });
    await Promise.resolve();
    expect(second).toBeUndefined();
    pressure.done(1);
    await Promise.resolve();
    expect(second).toBeUndefined();
    pressure.done(2);
    await waiting;
    expect(second).toBe(6);
    expect(pressure.submitted).toBe(12);
  });

  it('goes on with the ids of earlier commands', async () => {
    const pressure = new BackPressure({ cap: 10, submitted: 100, done: 95 });
    expect(await pressure.take(5)).toBe(100);
  });

  it('sends those who wait away when it is halted', async () => {
    const pressure = new BackPressure({ cap: 1, submitted: 0, done: 0 });
    await pressure.take(1);
    const waiting = pressure.take(1);
    pressure.halt();
    expect(await waiting).toBeNull();
    expect(await pressure.take(1)).toBeNull();
    expect(pressure.submitted).toBe(1);
  });
});
