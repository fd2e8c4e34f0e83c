import { Type } from '../type.ts';
import { Submitted } from './runs.ts';

/**
 * Runs of a batch that are numbered in a row: `id` is that of the first. Five hundred of them said one
 * by one cost the node and whoever reads the answer more than it takes to decide them.
 */
export interface SubmittedInARow extends Submitted {
  count: number;
}

/** The answer to a batch. `count` is said where the inputs came as bytes. */
export const BatchAnswer = Type.Object({
  items: Type.Array(
    Type.Object({
      ...Submitted.properties,
      count: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
});

/** The digits of an id that count; what stands before them is the same in a row. */
const COUNTED_DIGITS = 12;
/** Ids beyond are not said in a row: they would carry into the digits before. */
export const COUNTED_MAX = 16 ** COUNTED_DIGITS - 1;

export function oneByOne(rows: readonly SubmittedInARow[]): Submitted[] {
  const all: Submitted[] = [];
  for (const { id, job, created, pending, error, count } of rows) {
    const more = { ...(pending && { pending }), ...(error && { error }) };
    all.push(pending || error ? { id, job, created, ...more } : { id, job, created });
    if (count === 1) continue;
    const front = id.slice(0, -COUNTED_DIGITS);
    const first = Number.parseInt(id.slice(-COUNTED_DIGITS), 16);
    for (let i = 1; i < count; i++) {
      const digits = (first + i).toString(16).padStart(COUNTED_DIGITS, '0');
      all.push({ id: front + digits, job, created });
    }
  }
  return all;
}
