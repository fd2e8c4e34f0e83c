/**
 * Values of one field of a time of day. Both directions are looked up, not searched: finding the
 * next window asks three of these for every answer.
 */
export interface ValueSet {
  readonly values: readonly number[];
  /** The smallest member that is not below the index, or -1. */
  readonly nextFrom: Int8Array;
  /** The largest member that is not above the index, or -1. */
  readonly previousFrom: Int8Array;
}

export function valueSet(members: ReadonlySet<number>, max: number): ValueSet {
  const nextFrom = new Int8Array(max + 2).fill(-1);
  const previousFrom = new Int8Array(max + 2).fill(-1);
  for (let value = max; value >= 0; value--) {
    nextFrom[value] = members.has(value) ? value : (nextFrom[value + 1] ?? -1);
  }
  for (let value = 0; value <= max + 1; value++) {
    previousFrom[value] = members.has(value) ? value : (previousFrom[value - 1] ?? -1);
  }
  return { values: [...members].sort((a, b) => a - b), nextFrom, previousFrom };
}
