import { inputColumns, RUN_COLUMNS } from '../columns.ts';

/** A search by primary key; without its input a long row is not followed into overflow pages. */
export function readRun(segment: number, withInput: boolean): string {
  return `
SELECT ${RUN_COLUMNS}, ${inputColumns(withInput)} FROM runs_${segment} r
WHERE r.tenant = ? AND r.id = ?`;
}
