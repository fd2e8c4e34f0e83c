import { type CronField, FIELD_RANGES } from './fields.ts';
import { CronRefused, type Piece } from './refusal.ts';

/** Values of one item of a list: `5`, `1-5`, `*`, `10/5`, `20-35/15`. */
export function parseItem(field: CronField, item: Piece): readonly number[] {
  const slash = item.text.indexOf('/');
  const isStepped = slash >= 0;
  const base = isStepped ? { text: item.text.slice(0, slash), at: item.at } : item;
  const step = isStepped
    ? parseStep(field, { text: item.text.slice(slash + 1), at: item.at + slash + 1 })
    : 1;
  const [first, last] = parseRange(field, base, isStepped);
  const values: number[] = [];
  for (let value = first; value <= last; value += step) values.push(value);
  return values;
}

function parseRange(field: CronField, base: Piece, isOpen: boolean): readonly [number, number] {
  const range = FIELD_RANGES[field];
  if (base.text === '*') return [range.min, range.last];
  const dash = base.text.indexOf('-');
  if (dash < 0) {
    const value = parseValue(field, base);
    return [value, isOpen ? Math.max(value, range.last) : value];
  }
  const from = parseValue(field, { text: base.text.slice(0, dash), at: base.at });
  const end = parseValue(field, { text: base.text.slice(dash + 1), at: base.at + dash + 1 });
  // THU-SUN ends on the Sunday that comes after Thursday.
  const to = field === 'dayOfWeek' && end === 0 && from > 0 ? 7 : end;
  if (to < from) {
    throw new CronRefused(
      field,
      base.at,
      `the range ${base.text} goes backwards; write two ranges separated by a comma`,
    );
  }
  return [from, to];
}

function parseStep(field: CronField, piece: Piece): number {
  const { max } = FIELD_RANGES[field];
  const step = twoDigits(piece.text);
  if (step === undefined || step < 1 || step > max) {
    throw new CronRefused(
      field,
      piece.at,
      `the step ${quoted(piece)} is not a number from 1 to ${max}`,
    );
  }
  return step;
}

export function parseValue(field: CronField, piece: Piece): number {
  const { min, max, names } = FIELD_RANGES[field];
  const value = names.get(piece.text.toUpperCase()) ?? twoDigits(piece.text);
  if (value === undefined || value < min || value > max) {
    const also = names.size === 0 ? '' : ` or a name such as ${[...names.keys()][1]}`;
    throw new CronRefused(
      field,
      piece.at,
      `${quoted(piece)} is not a number from ${min} to ${max}${also}`,
    );
  }
  return value;
}

/** Only these digits, and never so many that a number loses its value. */
export function twoDigits(text: string): number | undefined {
  return /^[0-9]{1,2}$/.test(text) ? Number(text) : undefined;
}

const QUOTED_MAX = 24;

export function quoted({ text }: Piece): string {
  return JSON.stringify(text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text);
}
