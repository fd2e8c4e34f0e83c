import { describe, expect, it } from 'vitest';
import { TakenKeys } from './taken-keys.ts';

const heldKey = (i: number) => ({
  tenant: 'acme',
  key: `k${i}`,
  run: { partition: 0, seq: i + 1, ms: 1 },
});

function names(taken: TakenKeys, count: number): string[] {
  const keys = Array.from({ length: count }, (_, i) => heldKey(i).key);
  return keys.filter((key) => taken.has('acme', key));
}

describe('what the store has said of the keys of a mail', () => {
  it('is of its own keys alone: a refusal of thousands is not held once for each of them', () => {
    const keys = Array.from({ length: 1_000 }, (_, i) => heldKey(i));
    const refused = new TakenKeys({ keys, reserved: [] });
    const asked = [heldKey(7), { tenant: 'acme', key: 'free' }];
    expect(names(refused.only(asked), 1_000)).toEqual(['k7']);
  });

  it('K3 adds to what was said before', () => {
    const before = new TakenKeys({ keys: [heldKey(1)], reserved: [] });
    const reserved = [{ tenant: 'acme', key: 'k2', entry: 'e' }];
    const refused = new TakenKeys({ keys: [], reserved });
    expect(names(refused.only([heldKey(2)], before), 5)).toEqual(['k1', 'k2']);
  });
});
