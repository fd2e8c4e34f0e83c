// Properties with a seed that can be set and is printed when one fails.
import { randomInt } from 'node:crypto';
import fc from 'fast-check';

const seedMax = 2 ** 31;

/** `PROPERTY_SEED=… npm test -- <file>` repeats a run; `PROPERTY_RUNS=…` looks longer. */
export function propertySeed(): number {
  const given = process.env['PROPERTY_SEED'];
  return given === undefined ? randomInt(seedMax) : Number(given);
}

/**
 * `fc.assert` for a property: a promise if the property is asynchronous. The
 * failure names the seed and the smallest input that fast-check found.
 */
export function assertProperty<Values>(
  property: fc.IAsyncProperty<Values>,
  params?: fc.Parameters<Values>,
): Promise<void>;
export function assertProperty<Values>(
  property: fc.IProperty<Values>,
  params?: fc.Parameters<Values>,
): void;
export function assertProperty<Values>(
  property: fc.IRawProperty<Values>,
  params: fc.Parameters<Values> = {},
): Promise<void> | void {
  const seed = params.seed ?? propertySeed();
  const runs = process.env['PROPERTY_RUNS'];
  const explain = (error: unknown): never => {
    throw new Error(`property failed: repeat with PROPERTY_SEED=${seed}`, { cause: error });
  };
  const wanted = { ...params, seed, ...(runs === undefined ? {} : { numRuns: Number(runs) }) };
  try {
    const result = fc.assert(property as fc.IProperty<Values>, wanted) as Promise<void> | void;
    return result instanceof Promise ? result.catch(explain) : result;
  } catch (error) {
    return explain(error);
  }
}
