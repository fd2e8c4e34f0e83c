import { describe, expect, it } from 'vitest';
import { rateBetween } from './rate-between.ts';

const at = (atMs: number, n: number, countedAtMs: number) => ({
  usage: { atMs },
  handled: { n, atMs: countedAtMs },
});

describe('a rate', () => {
  it('runs from burst to burst: a window of two and a bit counts two', () => {
    // 500 tasks every 500 ms; the window begins 400 ms after one burst and ends 50 ms after another.
    expect(rateBetween(at(900, 500, 500), at(2_050, 2_000, 2_000))).toBe(1_000);
  });

  it('counts the time against a system that stands still', () => {
    expect(rateBetween(at(1_000, 0, 1_000), at(5_000, 1_000, 2_000))).toBe(250);
  });
});
