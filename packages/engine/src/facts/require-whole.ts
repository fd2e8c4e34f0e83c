/**
 * The last wall before the journal: a fact is written once and read for as long as there is a journal,
 * and a number such as `NaN` or `Infinity` is not JSON, so the whole partition could not be opened again.
 * Better that the node stops before the group is stored than that no node can start behind it.
 */
export function requireWhole(value: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`${value} is not a whole number`);
}

/** As JSON, with the same rule for every number in it except that fractions are allowed. */
export function jsonOfNumbers(value: unknown): string {
  return JSON.stringify(value, requireFinite);
}

function requireFinite(name: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new RangeError(`${name} is ${value}`);
}
