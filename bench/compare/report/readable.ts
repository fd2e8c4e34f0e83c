import type { Spread } from '../statistics.ts';

export function readable(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

export function rangeText({ min, max }: Spread): string {
  return `${readable(min)}–${readable(max)}`;
}

/** A median, and the range where there is more than one round. */
export function spreadText(spread: Spread): string {
  return spread.count === 1
    ? readable(spread.median)
    : `${readable(spread.median)} [${rangeText(spread)}]`;
}
