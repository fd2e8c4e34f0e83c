import { END_COLUMNS, inputColumns, RUN_COLUMNS } from '../columns.ts';

/** A search by primary key in runs and another in ends. */
export function getRun(segment: number, withInput: boolean): string {
  return `
SELECT ${RUN_COLUMNS}, ${inputColumns(withInput)}, ${END_COLUMNS} FROM runs_${segment} r
LEFT JOIN ends_${segment} e ON e.id = r.id AND e.tenant = r.tenant
WHERE r.tenant = ? AND r.id = ?`;
}
