import type { Static, TSchema } from 'typebox';
import { NAME_PATTERN } from '../ids.ts';
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
export const Labels = Type.Record(Type.String({ maxLength: 128 }), Type.String({ maxLength: 256 }));

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
