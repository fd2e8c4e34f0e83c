import { describe, expect, it } from 'vitest';
import { RecentKeys } from './recent-keys.ts';

const holder = (seq: number) => ({ partition: 0, seq, ms: 0 });

describe('RecentKeys', () => {
  it('answers what was set, per tenant, until it is deleted', () => {
    const keys = new RecentKeys(10);
    keys.set('anna', 'k', holder(1));
    keys.set('bert', 'k', holder(2));
    expect(keys.get('anna', 'k')?.seq).toBe(1);
    expect(keys.get('bert', 'k')?.seq).toBe(2);
    keys.delete('anna', 'k');
    expect(keys.get('anna', 'k')).toBeUndefined();
    expect(keys.get('bert', 'k')?.seq).toBe(2);
  });

  it('forgets the oldest when it holds more than it is to keep', () => {
    const keys = new RecentKeys(3);
    for (let i = 1; i <= 5; i++) keys.set('anna', `k${i}`, holder(i));
    const known = [1, 2, 3, 4, 5].map((i) => keys.get('anna', `k${i}`)?.seq);
    expect(known).toEqual([undefined, undefined, 3, 4, 5]);
  });
});
