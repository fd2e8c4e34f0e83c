import type { Static, TSchema } from 'typebox';
import { NAME_PATTERN } from '../ids.ts';
import { SIZES } from '../limits.ts';
import { Type } from '../type.ts';
import { inRange } from './in-range.ts';

export const Name = Type.String({ pattern: NAME_PATTERN, maxLength: 128 });
export const Instant = Type.String({
  format: 'date-time',
  description: 'ISO 8601 date and time in UTC',
});
/** As it may be written: an instant, or a date, which is its midnight in UTC. */
export const InstantInput = Type.Unsafe<string>({
  anyOf: [
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'date' },
  ],
  description: 'ISO 8601 date and time, or a date (midnight UTC)',
});

/** Without control characters: labels are shown in terminals, logs and pages. */
const printable = ({ min, max }: { readonly min: number; readonly max: number }) =>
  `^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]{${min},${max}}$`;
export const LABEL_NAME_PATTERN = printable(SIZES['labels.nameChars']);
export const LABEL_VALUE_PATTERN = printable(SIZES['labels.valueChars']);

export const Labels = Type.Unsafe<Record<string, string>>({
  type: 'object',
  propertyNames: { type: 'string', pattern: LABEL_NAME_PATTERN },
  patternProperties: { '^.*$': { type: 'string', pattern: LABEL_VALUE_PATTERN } },
  maxProperties: SIZES['labels.count'].max,
});

/** Why labels are refused, for a reader without schemas; null if they are not. */
export function labelsProblem(labels: Readonly<Record<string, string>>): string | null {
  const entries = Object.entries(labels);
  const { max } = SIZES['labels.count'];
  if (entries.length > max) return `has more than ${max} labels`;
  const [name, value] = [new RegExp(LABEL_NAME_PATTERN, 'u'), new RegExp(LABEL_VALUE_PATTERN, 'u')];
  if (!entries.every(([each]) => name.test(each))) return LABEL_NAME_RULE;
  return entries.every(([, each]) => value.test(each)) ? null : LABEL_VALUE_RULE;
}

const shown = (name: 'labels.nameChars' | 'labels.valueChars') =>
  `${SIZES[name].min} to ${SIZES[name].max} characters without control characters`;
export const LABEL_NAME_RULE = `the name of a label must have ${shown('labels.nameChars')}`;
export const LABEL_VALUE_RULE = `the value of a label must have ${shown('labels.valueChars')}`;

const KEY = SIZES['idempotencyKey.chars'];
/** Visible ASCII: a key is sent in a header as well as in a body, and headers carry nothing else safely. */
export const IDEMPOTENCY_KEY_PATTERN = `^[!-~]{${KEY.min},${KEY.max}}$`;
export const IDEMPOTENCY_KEY_RULE = `an idempotency key must have ${KEY.min} to ${KEY.max} visible ASCII characters, without spaces`;
export const IdempotencyKey = Type.String({
  pattern: IDEMPOTENCY_KEY_PATTERN,
  description: 'Visible ASCII characters, without spaces',
});

export const Resources = Type.Object(
  {
    cpuMilli: inRange('resources.cpuMilli'),
    memoryMb: inRange('resources.memoryMb'),
    gpu: inRange('resources.gpu'),
    diskMb: inRange('resources.diskMb'),
    slots: inRange('resources.slots'),
  },
  { additionalProperties: false },
);

/** One of some words. Said of the type too: the union of a mapped list is of the type `never`. */
export const wordOf = <const W extends string>(words: readonly W[]) =>
  Type.Unsafe<W>(Type.Union(words.map((word) => Type.Literal(word))));

/** Opaque, and valid only for the list, the tenant and the filter that returned it. */
export const Cursor = Type.String({
  minLength: 1,
  maxLength: 512,
  description: '`next` of the previous page of the same list with the same filter',
});

/** A page of a list; `next` is the cursor of the page behind it, absent on the last one. */
export const pageOf = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), next: Type.Optional(Type.String()) });

/** Something in an accepted definition that is probably a mistake. */
export const Warning = Type.Object({ field: Type.String(), message: Type.String() });

/** What saving a definition would do; nothing is saved. */
export const checkedOf = <T extends TSchema>(definition: T) =>
  Type.Object({
    outcome: wordOf(['created', 'changed', 'unchanged']),
    /** What is there now: its version, 0 for nothing, and its definition. */
    version: Type.Integer(),
    before: Type.Optional(definition),
    /** As it would be read back. */
    after: definition,
    warnings: Type.Optional(Type.Array(Warning)),
  });

export type Warning = Static<typeof Warning>;
export type Resources = Static<typeof Resources>;
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}
export interface Checked<T> {
  readonly outcome: 'created' | 'changed' | 'unchanged';
  readonly version: number;
  readonly before?: T;
  readonly after: T;
  readonly warnings?: readonly Warning[];
}
