import { Optional } from '@marcbachmann/cel-js';
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { DURATION_TEXT_WORK } from './limits.ts';
import { lengthOf, type Meter } from './meter.ts';

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

export class NoJson extends Error {}

/**
 * What an expression yields, as JSON. An integer that JSON would round is refused and not rounded: an
 * order number that lost its last digit names another order. Charged as it goes, because a value may
 * hold another many times over.
 */
export function toJson(value: unknown, meter: Meter): Json {
  meter.charge(1);
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      meter.charge(lengthOf(value));
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new NoJson(`JSON cannot represent ${value}`);
      return value;
    case 'bigint':
      return integer(value);
    case 'object':
      return value === null ? null : composite(value, meter);
    default:
      throw new NoJson('JSON cannot represent the result');
  }
}

function composite(value: object, meter: Meter): Json {
  if (Array.isArray(value)) return value.map((each) => toJson(each, meter));
  if (value instanceof UnsignedInt) return integer(value.value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Duration) {
    meter.charge(DURATION_TEXT_WORK);
    return value.toString();
  }
  if (value instanceof Uint8Array) {
    meter.charge(lengthOf(value));
    return Buffer.from(value).toString('base64');
  }
  if (value instanceof Optional) {
    throw new NoJson('the result may be absent; end the expression with .orValue(…)');
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new NoJson('JSON cannot represent the result');
  }
  // fromEntries defines properties, so that a key `__proto__` stays a key.
  const entries = Object.entries(value).map(([key, each]) => {
    meter.charge(lengthOf(key));
    return [key, toJson(each, meter)] as const;
  });
  return Object.fromEntries(entries);
}

function integer(value: bigint): number {
  const rounded = Number(value);
  if (Number.isSafeInteger(rounded)) return rounded;
  throw new NoJson(`the integer ${value} is too large for JSON; convert it with string()`);
}
