/** Progress that is not a number would never rise, and the task would count as stuck. */
export function requireFraction(value: number): void {
  if (typeof value === 'number' && Number.isFinite(value)) return;
  throw new RangeError(
    `the fraction of progress() must be a number from 0 to 1, not ${String(value)}`,
  );
}
