import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from './property.ts';

describe('assertProperty', () => {
  it('passes what holds', async () => {
    assertProperty(fc.property(fc.integer(), (n) => n + 0 === n));
    await assertProperty(fc.asyncProperty(fc.integer(), async (n) => n - n === 0));
  });

  it('names the seed of what fails', async () => {
    const seed = 42;
    const isSmall = (n: number): boolean => n < 10;
    const message = 'PROPERTY_SEED=42';
    expect(() => assertProperty(fc.property(fc.nat(), isSmall), { seed })).toThrow(message);
    const failing = fc.asyncProperty(fc.nat(), async (n) => isSmall(n));
    await expect(assertProperty(failing, { seed })).rejects.toThrow(message);
  });

  it('repeats the same inputs for the same seed', () => {
    const draw = (): number[] => {
      const seen: number[] = [];
      assertProperty(
        fc.property(fc.nat(), (n) => {
          seen.push(n);
        }),
        { seed: 7 },
      );
      return seen;
    };
    expect(draw()).toEqual(draw());
  });
});
