import { describe, expect, it } from 'vitest';
import { instantWindows, intervalWindows } from './recurrences.ts';

describe('intervals', () => {
  it('are counted from the anchor, in both directions', () => {
    const windows = intervalWindows(90_000, 1_000_000);
    expect(windows.next(1_000_000)).toBe(1_090_000);
    expect(windows.next(999_999)).toBe(1_000_000);
    expect(windows.previous(1_000_000)).toBe(910_000);
    expect(windows.previous(1_000_001)).toBe(1_000_000);
    expect(windows.next(-5)).toBe(10_000);
  });

  it('are longer than nothing', () => {
    for (const everyMs of [0, -1, Number.NaN]) {
      expect(() => intervalWindows(everyMs, 0)).toThrow('must be at least 1 ms');
    }
  });

  it('TRG-04 do not drift', () => {
    const windows = intervalWindows(7_777, 0);
    let at = 0;
    for (let count = 0; count < 10_000; count++) at = windows.next(at + (count % 7)) ?? Number.NaN;
    expect(at).toBe(77_770_000);
  });
});

describe('an instant', () => {
  it('is a window once', () => {
    const windows = instantWindows(5_000);
    expect(windows.next(4_999)).toBe(5_000);
    expect(windows.next(5_000)).toBeNull();
    expect(windows.previous(5_000)).toBeNull();
    expect(windows.previous(5_001)).toBe(5_000);
  });
});
