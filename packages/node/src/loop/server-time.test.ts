import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
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

  it('LIV-05 is not moved by an answer that took 8 s: all of it may be the way there', () => {
    let mono = 0;
    const storeAt = () => 10_000_000 + mono;
    const time = new ServerTime(() => mono);
    time.sync(storeAt(), mono);
    for (let i = 0; i < 5; i++) {
      const askedAt = mono;
      // The store stands still and reads its clock at the very end, or at the very beginning.
      mono += i % 2 === 0 ? 8_000 : 0;
      const read = storeAt();
      mono += i % 2 === 0 ? 0 : 8_000;
      time.sync(read, askedAt);
      expect(time.now()).toBe(storeAt());
      mono += 1_500;
    }
  });

  it('LIV-05 never leads the store after a slow first answer, and closes up with the first quick one', () => {
    let mono = 0;
    const storeAt = () => 10_000_000 + mono;
    const time = new ServerTime(() => mono);
    const readFirst = storeAt();
    mono += 8_000;
    time.sync(readFirst, 0);
    expect(time.now()).toBe(storeAt() - 8_000);
    mono += 1_000;
    const askedAt = mono;
    mono += 2_000;
    time.sync(storeAt(), askedAt);
    expect(time.now()).toBe(storeAt());
    mono += 1_000;
    time.sync(storeAt(), mono - 4);
    expect(Math.abs(time.now() - storeAt())).toBeLessThanOrEqual(4);
  });

  it('LIV-05 stays within the bounds of what it was told, for any delays of questions and answers', () => {
    const delay = fc.oneof(fc.nat(5), fc.nat(300), fc.nat(20_000));
    const samples = fc.array(fc.record({ there: delay, back: delay, pause: fc.nat(5_000) }), {
      minLength: 1,
      maxLength: 40,
    });
    assertProperty(
      fc.property(samples, (beats) => {
        let mono = 0;
        const time = new ServerTime(() => mono);
        for (const { there, back, pause } of beats) {
          const askedAt = mono;
          mono += there;
          const read = 10_000_000 + mono;
          mono += back;
          time.sync(read, askedAt);
          expect(time.now()).toBeLessThanOrEqual(10_000_000 + mono + 50);
          mono += pause;
        }
      }),
    );
  });
});
