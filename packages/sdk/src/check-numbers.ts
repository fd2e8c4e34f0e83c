import {
  type Duration,
  type DurationName,
  durationWithin,
  isWithin,
  type LimitName,
  lostInJson,
  rangeText,
  refusedByJson,
} from '@signalbox/protocol';
import { SignalboxError } from './errors.ts';

/** Refuses a number outside of its range before anything is started with it. */
export function requireOption(name: LimitName, field: string, value: number | undefined): void {
  if (value === undefined || isWithin(name, value)) return;
  const message = `${field} must be ${rangeText(name)}, not ${String(value)}`;
  throw new SignalboxError('invalid', message, { field });
}

/** Likewise a duration; gives its milliseconds. */
export function requireDurationOption(
  name: DurationName,
  field: string,
  value: Duration | undefined,
): number | undefined {
  if (value === undefined) return undefined;
  const ms = durationWithin(name, value);
  if (ms !== null) return ms;
  const message = `${field} must be ${rangeText(name)}, not ${String(value)}`;
  throw new SignalboxError('invalid', message, { field });
}

/**
 * Refuses NaN and the infinities anywhere in a definition. JSON has no such numbers and writes null in
 * their place, which for a time limit means "none": the definition would change on its way.
 */
export function requireFinite(definition: unknown, path = ''): void {
  if (typeof definition === 'number' && !Number.isFinite(definition)) {
    throw new SignalboxError('invalid', `${path} must be a finite number, not ${definition}`, {
      field: path,
    });
  }
  if (typeof definition !== 'object' || definition === null) return;
  for (const [name, value] of Object.entries(definition)) {
    const member = path === '' ? name : `${path}.${name}`;
    requireFinite(value, Array.isArray(definition) ? `${path}[${name}]` : member);
  }
}

/**
 * A value as JSON; undefined where it has none. Refuses what JSON does not represent, such as NaN, which it writes as
 * null: what arrives would be another value than the one that was sent.
 */
export function exactJson(value: unknown, name: string): string | undefined {
  const text = stringify(value, name);
  const lost = text === undefined ? null : lostInJson(value, text, name);
  if (lost === null) return text;
  const isValue = lost.isNumber || lost.what === 'a function' || lost.what === 'a symbol';
  const advice = isValue ? '' : '; use an array or an object';
  const message = `${lost.path} is ${lost.what}, which JSON cannot represent${advice}`;
  throw new SignalboxError('invalid', message, { field: lost.path });
}

function stringify(value: unknown, name: string): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    const refused = refusedByJson(value, name);
    if (refused !== null) {
      const message = `${refused.path} is ${refused.what}, which JSON cannot represent`;
      throw new SignalboxError('invalid', message, { field: refused.path, cause });
    }
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SignalboxError('invalid', `${name} cannot be written as JSON: ${why}`, {
      field: name,
      cause,
    });
  }
}
