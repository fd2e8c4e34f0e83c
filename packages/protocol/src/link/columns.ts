import { FrameError } from './frame-error.ts';
import type { Ref } from './frames.ts';

/** A field of many frames: one value where all have the same, else a list. */
export type Column<Value extends string | number | null> = Value | readonly Value[];

/** References as six columns: most differ in two of their numbers. */
export interface RefColumns {
  readonly count: number;
  readonly columns: readonly Column<number>[];
}

/** All rows of a message: a count has no bytes behind it, and must not cost memory. */
export const ROWS_MAX = 10_000;
const REF_NUMBERS = 6;

export function toColumn<Value extends string | number | null>(
  values: readonly Value[],
): Column<Value> {
  const first = values[0] as Value;
  for (const value of values) if (value !== first) return values;
  return first;
}

export function fromColumn(column: unknown, count: number): readonly unknown[] {
  if (!Array.isArray(column)) return new Array<unknown>(count).fill(column);
  if (column.length !== count)
    throw new FrameError(`a column has ${column.length} values, not ${count}`);
  return column;
}

export function toRefColumns(refs: readonly Ref[]): RefColumns {
  const columns: Column<number>[] = [];
  for (let k = 0; k < REF_NUMBERS; k++) columns.push(toColumn(refs.map((ref) => ref[k] as number)));
  return { count: refs.length, columns };
}

/** The references, each of six values; whether these are numbers is looked at with the frame. */
export function fromRefColumns(value: unknown, rowsMax: number): Ref[] {
  const { count, columns } = (value ?? {}) as Partial<RefColumns>;
  const isCount = Number.isSafeInteger(count) && (count as number) >= 0;
  if (!isCount || (count as number) > rowsMax)
    throw new FrameError(`the row count must be a whole number from 0 to ${rowsMax}`);
  if (!Array.isArray(columns) || columns.length !== REF_NUMBERS) {
    throw new FrameError('references must have six columns');
  }
  const [p, s, t, n, e, k] = columns.map((column) => fromColumn(column, count as number)) as Six;
  const refs: Ref[] = [];
  for (let i = 0; i < (count as number); i++) {
    refs.push([p[i], s[i], t[i], n[i], e[i], k[i]] as unknown as Ref);
  }
  return refs;
}

type List = readonly unknown[];
type Six = [List, List, List, List, List, List];
