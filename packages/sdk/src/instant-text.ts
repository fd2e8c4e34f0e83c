import { LIMITS, rangeText } from '@signalbox/protocol';

/** An instant as the API reads it. An invalid `Date` has no text at all, and far ones no text of four digits. */
export function instantText(field: string, at: Date | string): string {
  if (typeof at === 'string') return at;
  const ms = at.getTime();
  const { min, max } = LIMITS.instant;
  if (ms >= min && ms <= max) return at.toISOString();
  const shown = Number.isNaN(ms) ? 'an invalid Date' : at.toISOString();
  throw new RangeError(`${field} must be ${rangeText('instant')}, not ${shown}`);
}
