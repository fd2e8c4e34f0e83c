import { CLOCK_MS } from '../statement.ts';
import { RUN_TABLES } from './create-run-segment.ts';

/**
 * A constraint that no row can meet refuses every further row, without a trigger and without a
 * look-up per row elsewhere. `not valid` leaves the rows alone that are there, and keeps the
 * planner from concluding that there are none.
 */
export function sealSegment(s: string, fromMs: number): string {
  const constraints = RUN_TABLES.map(
    (table) => `
alter table ${s}.${table}_${fromMs} add constraint sealed check (false) not valid;`,
  );
  return `${constraints.join('')}
update ${s}.segments set state = 'sealed', sealed_at_ms = ${CLOCK_MS} where from_ms = ${fromMs};`;
}
