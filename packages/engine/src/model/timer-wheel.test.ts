import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { type Timed, TimerWheel } from './timer-wheel.ts';

class Item implements Timed {
  timerAt = 0;
  timerBucket: Timed['timerBucket'] = null;
  timerPrevious: Timed | null = null;
  timerNext: Timed | null = null;
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }
}

/** What the wheel must be: a list of (item, time) in the order of arming. */
class NaiveTimers {
  armed: { readonly item: Item; readonly at: number }[] = [];

  arm(item: Item, at: number): void {
    this.disarm(item);
    this.armed.push({ item, at });
  }

  disarm(item: Item): void {
    this.armed = this.armed.filter((each) => each.item !== item);
  }

  expire(now: number): Item[] {
    const due = this.armed.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    this.armed = this.armed.filter(({ at }) => at > now);
    return due.map(({ item }) => item);
  }

  earliest(): number | null {
    return this.armed.length === 0 ? null : Math.min(...this.armed.map(({ at }) => at));
  }
}

type Op =
  | { readonly kind: 'arm'; readonly item: number; readonly inMs: number }
  | { readonly kind: 'disarm'; readonly item: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'sleep' };

const itemCount = 12;
const items = fc.nat(itemCount - 1);
/** Before and around now, within one bucket of the wheel, and far ahead. */
const distances = fc.oneof(
  fc.integer({ min: -200, max: 200 }),
  fc.integer({ min: 0, max: 10 }),
  fc.constantFrom(63, 64, 65, 128, 3_600_000, 86_400_000),
);
const ops: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('arm' as const), item: items, inMs: distances }),
  },
  fc.record({ kind: fc.constant('disarm' as const), item: items }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 150 }) }),
  fc.record({ kind: fc.constant('sleep' as const) }),
);

describe('TimerWheel', () => {
  it('is a list of times: nothing early, nothing lost, earliest first', () => {
    assertProperty(
      fc.property(fc.array(ops, { maxLength: 100, size: 'max' }), (list) => {
        const wheel = new TimerWheel();
        const model = new NaiveTimers();
        const all = Array.from({ length: itemCount }, (_, id) => new Item(id));
        let now = 1_750_000_000_000;
        const expire = (): void => {
          expect(wheel.expire(now).map((item) => (item as Item).id)).toEqual(
            model.expire(now).map((item) => item.id),
          );
        };
        for (const op of list) {
          if (op.kind === 'arm') {
            wheel.arm(all[op.item]!, now + op.inMs);
            model.arm(all[op.item]!, now + op.inMs);
          } else if (op.kind === 'disarm') {
            wheel.disarm(all[op.item]!);
            model.disarm(all[op.item]!);
          } else if (op.kind === 'pass') {
            now += op.ms;
            expire();
          } else {
            now = Math.max(now, wheel.nextAt(now) ?? now);
            expire();
          }
          expect(wheel.size).toBe(model.armed.length);
          const next = wheel.nextAt(now);
          const earliest = model.earliest();
          expect(next === null).toBe(earliest === null);
          if (next === null || earliest === null) continue;
          // Looking again may come early, but by less than a bucket, and never late.
          expect(next).toBeLessThanOrEqual(earliest);
          expect(next).toBeGreaterThan(earliest - 64);
          if (earliest > now) expect(next).toBeGreaterThan(now);
        }
        now += 100_000_000;
        expire();
        expect(wheel.nextAt(now)).toBeNull();
      }),
      { numRuns: 100 },
    );
  });

  it('gives out what is due in the order of arming where times are equal', () => {
    const wheel = new TimerWheel();
    const [a, b, c] = [new Item(1), new Item(2), new Item(3)];
    for (const item of [b, a, c]) wheel.arm(item, 1000);
    expect(wheel.expire(999)).toEqual([]);
    expect(wheel.expire(1000)).toEqual([b, a, c]);
  });

  it('gives out at most as much as is asked for, nothing early, and all of it in the end', () => {
    const wheel = new TimerWheel();
    const [before, at, after] = [999, 1_000_000, 1_000_001].map((ms, kind) =>
      Array.from({ length: 500 }, (_, i) => {
        const item = new Item(kind * 500 + i);
        wheel.arm(item, ms);
        return item;
      }),
    ) as [Item[], Item[], Item[]];
    const seen: number[] = [];
    let looks = 0;
    for (; wheel.size > after.length; looks++) {
      const due = wheel.expire(1_000_000, 70);
      expect(due.length).toBeGreaterThan(0);
      expect(due.length).toBeLessThanOrEqual(70);
      for (const item of due) seen.push((item as Item).id);
      if (wheel.size > after.length) expect(wheel.nextAt(1_000_000)).toBeLessThanOrEqual(1_000_000);
    }
    expect(looks).toBe(Math.ceil(1_000 / 70));
    expect(new Set(seen.slice(0, 500))).toEqual(new Set(before.map(({ id }) => id)));
    expect(new Set(seen.slice(500))).toEqual(new Set(at.map(({ id }) => id)));
  });

  it('arrives at an exact time in two looks at most, however far ahead it is', () => {
    const wheel = new TimerWheel();
    wheel.arm(new Item(1), 86_400_037);
    const first = wheel.nextAt(0) ?? 0;
    expect(first).toBeLessThanOrEqual(86_400_037);
    expect(wheel.expire(first)).toEqual([]);
    expect(wheel.nextAt(first)).toBe(86_400_037);
  });
});
