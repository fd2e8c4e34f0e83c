import { END_COLUMNS, inputColumns, RUN_COLUMNS } from '../columns.ts';

/**
 * The primary key from the cursor backwards; each run looks up its end by key. Filters are tested
 * row by row: a page of a rare job costs a walk over the tenant's runs in this segment.
 */
export function listRuns(
  segment: number,
  filter: { job: boolean; ended?: boolean },
  withPayloads: boolean,
): string {
  const ended = filter.ended ? 'AND e.id IS NOT NULL' : 'AND e.id IS NULL';
  const columns = withPayloads
    ? END_COLUMNS
    : END_COLUMNS.replace('e.output, e.output_checksum', 'NULL AS output');
  return `
SELECT ${RUN_COLUMNS}, ${inputColumns(withPayloads)}, ${columns} FROM runs_${segment} r
LEFT JOIN ends_${segment} e ON e.id = r.id AND e.tenant = r.tenant
WHERE r.tenant = ? AND r.id < ? AND r.id >= ?
${filter.job ? 'AND r.job = ?' : ''} ${filter.ended === undefined ? '' : ended}
ORDER BY r.id DESC LIMIT ?`;
}
