import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { dominantShare, fits, isSame, isWhole, NO_RESOURCES } from './resources.ts';
import { TenantClass } from './tenant-class.ts';
import { ZoneCounts } from './zone-counts.ts';

const start = 1_750_000_000_000;

describe('TenantClass', () => {
  const attempts = fc.array(
    fc.record({
      share: fc.double({ min: 0.0001, max: 1, noNaN: true }),
      at: fc.nat(100_000),
      ms: fc.option(fc.nat(50_000)),
    }),
    { maxLength: 40, size: 'max' },
  );

  it('charges share times time for what ended and for what still runs', () => {
    assertProperty(
      fc.property(attempts, (list) => {
        const owner = new TenantClass('acme', 1);
        const now = start + 200_000;
        let expected = 0;
        for (const { share, at, ms } of list) {
          owner.started(share, start + at);
          if (ms !== null) owner.ended(share, start + at, start + at + ms);
          expected += share * (ms === null ? 200_000 - at : Math.max(1, ms));
        }
        expect(owner.running).toBe(list.filter(({ ms }) => ms === null).length);
        expect(Math.abs(owner.used(now) - expected)).toBeLessThan(0.1 + expected * 1e-6);
      }),
    );
  });

  it('does not drift: a million short tasks later nothing running means nothing open', () => {
    const owner = new TenantClass('acme', 1);
    for (let i = 0; i < 1_000_000; i++) {
      owner.started(0.001, start + i);
      if (i % 10 === 9)
        for (let k = 9; k >= 0; k--) owner.ended(0.001, start + i - k, start + i + 1);
    }
    expect(owner.running).toBe(0);
    const [now, later] = [owner.used(start + 1e6), owner.used(start + 2e6)];
    expect(later).toBe(now);
    // Ten at a time, which run for 1 to 10 ms.
    expect(Math.abs(now - 5_500)).toBeLessThan(1);
  });

  it('has the same key for the same use per weight', () => {
    const [one, two] = [new TenantClass('one', 1), new TenantClass('two', 1)];
    two.setWeight(2, start);
    one.started(0.1, start);
    two.started(0.2, start);
    expect(two.computeKey(start + 500)).toBeCloseTo(one.computeKey(start + 500), 6);
  });

  it('keeps its key when its weight changes: the new weight counts from then on', () => {
    const owner = new TenantClass('acme', 1);
    owner.started(0.5, start);
    const key = owner.computeKey(start + 10_000);
    owner.setWeight(4, start + 10_000);
    expect(owner.fairKey).toBeCloseTo(key, 6);
    expect(owner.computeKey(start + 14_000) - key).toBeCloseTo(500, 6);
  });

  it('catches up to a level, and is never set back by it', () => {
    const owner = new TenantClass('acme', 1);
    owner.catchUp(start, 1_000);
    expect(owner.fairKey).toBeCloseTo(1_000, 6);
    owner.catchUp(start, 10);
    expect(owner.fairKey).toBeCloseTo(1_000, 6);
  });
});

describe('resources', () => {
  const some = { cpuMilli: 500, memoryMb: 10, gpu: 0, diskMb: 0, slots: 1 };

  it('fit only if every dimension does', () => {
    expect(fits(some, some)).toBe(true);
    for (const dimension of ['cpuMilli', 'memoryMb', 'gpu', 'diskMb', 'slots'] as const) {
      expect(fits(some, { ...some, [dimension]: some[dimension] + 1 })).toBe(false);
      expect(isSame(some, { ...some, [dimension]: some[dimension] + 1 })).toBe(false);
    }
    expect(isSame(some, { ...some })).toBe(true);
  });

  it('have their dominant share in the dimension of which they take most', () => {
    const total = { cpuMilli: 1_000, memoryMb: 100, gpu: 0, diskMb: 0, slots: 10 };
    expect(dominantShare(some, total)).toBe(0.5);
    expect(dominantShare(some, NO_RESOURCES)).toBe(0);
  });

  it('are whole numbers of small units', () => {
    expect(isWhole(some)).toBe(true);
    for (const bad of [0.5, -1, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY]) {
      expect(isWhole({ ...some, memoryMb: bad })).toBe(false);
    }
  });
});

describe('ZoneCounts', () => {
  it('counts by job and zone, and forgets a job that has nothing left', () => {
    const counts = new ZoneCounts();
    for (const zone of ['a', 'a', 'b']) counts.change('job', zone, 1);
    counts.change('other', 'a', 1);
    expect([counts.countIn('job', 'a'), counts.countIn('job', 'b')]).toEqual([2, 1]);
    expect([counts.countIn('job', 'c'), counts.countAll('job')]).toEqual([0, 3]);
    for (const zone of ['a', 'b', 'a']) counts.change('job', zone, -1);
    expect([counts.countIn('job', 'a'), counts.countAll('job')]).toEqual([0, 0]);
    expect(counts.countAll('other')).toBe(1);
  });
});
