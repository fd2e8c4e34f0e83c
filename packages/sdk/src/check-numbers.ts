import { isWithin, type LimitName, rangeText } from '@signalbox/protocol';
import { SignalboxError } from './errors.ts';

/** Refuses a number outside of its range before anything is started with it. */
export function requireOption(name: LimitName, field: string, value: number | undefined): void {
  if (value === undefined || isWithin(name, value)) return;
  const message = `${field} is ${rangeText(name)}, not ${String(value)}`;
  throw new SignalboxError('invalid', message, { field });
}

/**
 * Refuses NaN and the infinities anywhere in a definition. JSON has no such numbers and writes null in
 * their place, which for a time limit means "none": the definition would change on its way.
 */
export function requireFinite(definition: unknown, path = ''): void {
  if (typeof definition === 'number' && !Number.isFinite(definition)) {
    throw new SignalboxError('invalid', `${path} is ${definition}, not a number`, { field: path });
  }
  if (typeof definition !== 'object' || definition === null) return;
  for (const [name, value] of Object.entries(definition)) {
    const member = path === '' ? name : `${path}.${name}`;
    requireFinite(value, Array.isArray(definition) ? `${path}[${name}]` : member);
  }
}
