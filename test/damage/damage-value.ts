import type { Random } from './random.ts';

export type Value = string | number | boolean | Uint8Array | null;

/** Broken contents, something that no program wrote, a value that is cut short, and none at all. */
export const WAYS = ['broken', 'unknown', 'cut', 'null'] as const;
export type Way = (typeof WAYS)[number];

/** Another value of the same type, or null; a value that is null stays, and the caller picks again. */
export function damageValue(value: Value, way: Way, random: Random): Value {
  if (value === null || way === 'null') return null;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return way === 'cut' ? Math.trunc(value / 10) + 1 : value + 1;
  if (typeof value === 'string') return damageText(value, way, random);
  return damageBytes(value, way, random);
}

function damageText(text: string, way: Way, random: Random): string {
  if (way === 'cut' && text.length > 0) return text.slice(0, random.below(text.length));
  if (way === 'unknown') return '{"kind":"nobody"}';
  if (UUID.test(text)) return otherDigit(text, random);
  const at = random.below(text.length + 1);
  return `${text.slice(0, at)}{"${text.slice(at)}`;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function otherDigit(text: string, random: Random): string {
  const at = random.pick([...text].flatMap((digit, i) => (digit === '-' ? [] : [i])));
  const other = (Number.parseInt(text[at] as string, 16) ^ (1 << random.below(4))).toString(16);
  return text.slice(0, at) + other + text.slice(at + 1);
}

export function damageBytes(bytes: Uint8Array, way: Way, random: Random): Uint8Array {
  if (bytes.length === 0 || way === 'unknown') return new TextEncoder().encode('{"kind":"nobody"}');
  if (way === 'cut') return bytes.slice(0, random.below(bytes.length));
  const broken = bytes.slice();
  const at = random.below(broken.length);
  broken[at] = (broken[at] as number) ^ (1 << random.below(8));
  return broken;
}
