import type { CronExpression } from './expression.ts';
import { CRON_FIELDS, type CronField, FIELD_RANGES } from './fields.ts';
import { nextLocal } from './local-search.ts';
import { parseDaysOfMonth, parseDaysOfWeek } from './parse-days.ts';
import { parseItem, quoted } from './parse-item.ts';
import { type CronRefusal, CronRefused, type Piece } from './refusal.ts';
import { type ValueSet, valueSet } from './value-set.ts';

/** Longer than every minute of an hour written out; a text beyond it is no schedule. */
export const CRON_TEXT_LENGTH_MAX = 512;

const SHORTCUTS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

export type ParsedCron =
  | { readonly kind: 'parsed'; readonly expression: CronExpression }
  | { readonly kind: 'refused'; readonly refusal: CronRefusal };

/**
 * Reads an expression of five fields, of six with seconds in front, or a shortcut like `@daily`.
 * One that no date ever matches is refused too: it would be a schedule that silently never fires.
 */
export function parseCron(text: string): ParsedCron {
  try {
    return { kind: 'parsed', expression: parse(text) };
  } catch (error) {
    if (error instanceof CronRefused) return { kind: 'refused', refusal: error.refusal };
    throw error;
  }
}

function parse(text: string): CronExpression {
  if (text.length > CRON_TEXT_LENGTH_MAX) {
    const message = `the expression has ${text.length} characters; at most ${CRON_TEXT_LENGTH_MAX} are allowed`;
    throw new CronRefused('expression', CRON_TEXT_LENGTH_MAX, message);
  }
  const pieces = split(text, /[^ \t]+/g);
  const fields = expand(pieces);
  const of = (field: CronField) => fields[CRON_FIELDS.indexOf(field)] ?? { text: '0', at: 0 };
  const expression: CronExpression = {
    text: pieces.map((piece) => piece.text).join(' '),
    seconds: parseTimes('second', of('second')),
    minutes: parseTimes('minute', of('minute')),
    hours: parseTimes('hour', of('hour')),
    daysOfMonth: parseDaysOfMonth(itemsOf('dayOfMonth', of('dayOfMonth'))),
    months: parseMonths(of('month')),
    daysOfWeek: parseDaysOfWeek(itemsOf('dayOfWeek', of('dayOfWeek'))),
    isFixedTime: (['second', 'minute', 'hour'] as const).every((field) =>
      namesSingleValues(of(field)),
    ),
  };
  if (nextLocal(expression, 0) === undefined) {
    const message = 'the expression never fires: no month in it has such a day';
    throw new CronRefused('dayOfMonth', of('dayOfMonth').at, message);
  }
  return expression;
}

/** Six fields, with second 0 where there are five. */
function expand(pieces: readonly Piece[]): readonly Piece[] {
  const [first] = pieces;
  if (first === undefined) throw new CronRefused('expression', 0, 'the expression is empty');
  if (first.text.startsWith('@')) return split(expandShortcut(pieces, first), /[^ ]+/g);
  if (/^(CRON_)?TZ=/i.test(first.text)) {
    throw new CronRefused(
      'expression',
      first.at,
      'the time zone is not part of the expression; set it as the time zone of the schedule',
    );
  }
  if (pieces.length !== 5 && pieces.length !== 6) {
    const count = pieces.length === 1 ? '1 field' : `${pieces.length} fields`;
    const message = `the expression has ${count}; write 5 fields, or 6 with seconds first`;
    throw new CronRefused('expression', (pieces[6] ?? first).at, message);
  }
  return pieces.length === 5 ? [{ text: '0', at: 0 }, ...pieces] : pieces;
}

function expandShortcut(pieces: readonly Piece[], first: Piece): string {
  const fields = SHORTCUTS.get(first.text.toLowerCase());
  if (fields === undefined || pieces.length > 1) {
    const known = [...SHORTCUTS.keys()].join(', ');
    const message = `${quoted(first)} must be one of ${known}, without further fields; for an interval, use every instead of cron`;
    throw new CronRefused('expression', first.at, message);
  }
  return `0 ${fields}`;
}

function parseTimes(field: 'second' | 'minute' | 'hour', piece: Piece): ValueSet {
  const values = itemsOf(field, piece).flatMap((item) => parseItem(field, item));
  return valueSet(new Set(values), FIELD_RANGES[field].max);
}

function parseMonths(piece: Piece): number {
  const months = itemsOf('month', piece).flatMap((item) => parseItem('month', item));
  return months.reduce((mask, month) => mask | (1 << (month - 1)), 0);
}

function namesSingleValues({ text }: Piece): boolean {
  return !/[*/-]/.test(text);
}

function itemsOf(field: CronField, piece: Piece): readonly Piece[] {
  const items = split(piece.text, /[^,]+/g, piece.at);
  if (/^,|,,|,$/.test(piece.text)) {
    throw new CronRefused(field, piece.at, `the list ${quoted(piece)} has an empty item`);
  }
  return items;
}

function split(text: string, pattern: RegExp, at = 0): readonly Piece[] {
  return [...text.matchAll(pattern)].map((match) => ({ text: match[0], at: at + match.index }));
}
