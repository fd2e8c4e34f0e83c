import type { Resources } from '@signalbox/protocol/link';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Capacity, NOTHING, sum } from './capacity.ts';

const small = fc.nat(5);
const request = fc.record({
  cpuMilli: small,
  memoryMb: small,
  gpu: small,
  diskMb: small,
  slots: small,
});
const total = { cpuMilli: 12, memoryMb: 12, gpu: 12, diskMb: 12, slots: 8 };

describe('capacity', () => {
  it('never gives more than there is, and is whole again when all is back', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(request, fc.boolean()), { maxLength: 40 }), (steps) => {
        const capacity = new Capacity(total);
        const taken: Resources[] = [];
        for (const [wanted, isBack] of steps) {
          if (capacity.take(wanted)) taken.push(wanted);
          const back = isBack ? taken.shift() : undefined;
          if (back !== undefined) capacity.release(back);
          expect(capacity.used).toEqual(sum(taken));
          for (const key of Object.keys(total) as (keyof Resources)[]) {
            expect(capacity.used[key]).toBeLessThanOrEqual(total[key]);
          }
        }
        for (const each of taken) capacity.release(each);
        expect(capacity.used).toEqual(NOTHING);
      }),
    );
  });

  it.each([
    { slots: 0 },
    { slots: 1.5 },
    { slots: Number.NaN },
    { slots: Number.POSITIVE_INFINITY },
    { slots: 100_001 },
    { memoryMb: -1 },
    { gpu: Number.NaN },
  ])('refuses %j, which no node would take', (wrong) => {
    expect(() => new Capacity(wrong)).toThrow(RangeError);
    expect(() => new Capacity(wrong)).toThrow(Object.keys(wrong)[0]);
  });

  it('WRK-03 has ten slots and the cores and memory of the machine, unless it is told', () => {
    const { total: all } = new Capacity({});
    expect(all).toMatchObject({ slots: 10, gpu: 0, diskMb: 0 });
    expect(all.cpuMilli).toBeGreaterThanOrEqual(1_000);
    expect(all.memoryMb).toBeGreaterThan(100);
    expect(new Capacity({ slots: 3, gpu: 1 }).total).toMatchObject({ slots: 3, gpu: 1 });
  });
});
