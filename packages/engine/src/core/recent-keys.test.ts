import { describe, expect, it } from 'vitest';
import { RecentKeys } from './recent-keys.ts';

const holder = (seq: number) => ({ partition: 0, seq, ms: 0 });

describe('RecentKeys', () => {
  it('answers what was set, per tenant, until it is deleted', () => {
    const keys = new RecentKeys(10);
    keys.set({ tenant: 'anna', key: 'k', holder: holder(1), group: 0, at: 0 });
    keys.set({ tenant: 'bert', key: 'k', holder: holder(2), group: 0, at: 0 });
    expect(keys.get('anna', 'k', 0)?.seq).toBe(1);
    expect(keys.get('bert', 'k', 0)?.seq).toBe(2);
    keys.delete('anna', 'k');
    expect(keys.get('anna', 'k', 0)).toBeUndefined();
    expect(keys.get('bert', 'k', 0)?.seq).toBe(2);
  });

  it('forgets the oldest when it holds more than it is to keep', () => {
    const keys = new RecentKeys(3);
    for (let i = 1; i <= 5; i++) {
      keys.set({ tenant: 'anna', key: `k${i}`, holder: holder(i), group: 0, at: 0 });
    }
    const known = [1, 2, 3, 4, 5].map((i) => keys.get('anna', `k${i}`, 0)?.seq);
    expect(known).toEqual([undefined, undefined, 3, 4, 5]);
  });

  it('I2 answers for a key for some minutes: what retention drops later may be taken again', () => {
    const keys = new RecentKeys(10);
    keys.set({ tenant: 'anna', key: 'k', holder: holder(1), group: 3, at: 1_000 });
    const later = 1_000 + 24 * 3_600_000;
    // Nothing may be decided while the store has not, however long that takes.
    expect(keys.get('anna', 'k', later)?.seq).toBe(1);
    keys.confirm(3);
    expect(keys.get('anna', 'k', 2_000)?.seq).toBe(1);
    expect(keys.get('anna', 'k', later)).toBeUndefined();
  });

  it('I2 forgets no key before the store has decided about it, however many there are', () => {
    const keys = new RecentKeys(2);
    for (let i = 1; i <= 5; i++) {
      keys.set({ tenant: 'anna', key: `k${i}`, holder: holder(i), group: i, at: 0 });
    }
    expect(keys.get('anna', 'k1', 0)?.seq).toBe(1);
    expect(keys.provisionalGroup('anna', 'k1')).toBe(1);
    keys.confirm(4);
    const known = [1, 2, 3, 4, 5].map((i) => keys.get('anna', `k${i}`, 0)?.seq);
    expect(known).toEqual([undefined, undefined, undefined, 4, 5]);
    expect(keys.provisionalGroup('anna', 'k4')).toBeNull();
    expect(keys.provisionalGroup('anna', 'k5')).toBe(5);
  });
});
