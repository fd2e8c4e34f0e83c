import { describe, expect, it } from 'vitest';
import { ServerTime } from './server-time.ts';

describe('server time', () => {
  it('is the store’s clock, carried forward by the monotonic clock', () => {
    let mono = 100;
    const time = new ServerTime(() => mono);
    time.sync(1_000_000, 90);
    expect(time.now()).toBe(1_000_005);
    mono += 2_500;
    expect(time.now()).toBe(1_002_505);
  });

  it('LIV-05 F14 follows a step of an hour slowly, and never goes backwards', () => {
    let mono = 0;
    const time = new ServerTime(() => mono);
    time.sync(10_000_000, 0);
    let before = time.now();
    for (let i = 0; i < 1_000; i++) {
      mono += 1_500;
      time.sync(10_000_000 + mono - 3_600_000, mono);
      const now = time.now();
      expect(now).toBeGreaterThanOrEqual(before);
      expect(now - before).toBeLessThanOrEqual(1_500);
      before = now;
    }
    mono += 1_500;
    const slowed = time.now();
    expect(slowed).toBeLessThan(10_000_000 + mono);
  });
});
