import type { Static } from 'typebox';
import { Type } from '../type.ts';
import { wordOf } from './common.ts';
import { inRange } from './in-range.ts';

export const PRIORITIES = ['P0', 'P1', 'P2'] as const;
/** As every view shows it. */
export const PriorityName = wordOf(PRIORITIES);
/** As it may be written: a name, or a number from 1 to 10, of which 10 is the most urgent. */
export const Priority = Type.Union([
  ...PRIORITIES.map((name) => Type.Literal(name)),
  inRange('priority'),
]) as unknown as ReturnType<typeof Type.Unsafe<PriorityName | number>>;

export type PriorityName = Static<typeof PriorityName>;
export type Priority = PriorityName | number;

/** The least number of each name; docs/concepts.md has the same table. */
const FROM_NUMBER = { P0: 8, P1: 4, P2: 1 } as const satisfies Record<PriorityName, number>;

/** The name of a priority that may be a number; null for what is neither. */
export function priorityName(priority: unknown): PriorityName | null {
  if (typeof priority !== 'number') return PRIORITIES.find((name) => name === priority) ?? null;
  if (!Number.isInteger(priority) || priority < 1 || priority > 10) return null;
  return PRIORITIES.find((name) => priority >= FROM_NUMBER[name]) ?? null;
}
