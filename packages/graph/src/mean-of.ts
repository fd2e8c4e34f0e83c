/** The mean of some of the values; null for none of them. */
export function meanOf(of: readonly number[], values: readonly number[]): number | null {
  if (of.length === 0) return null;
  return of.reduce((sum, each) => sum + (values[each] ?? 0), 0) / of.length;
}
