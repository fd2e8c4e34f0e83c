/**
 * Along the primary key from one border to the other; the tenant is tested row by row (I19). So is
 * the time, and the attempt: the plus keeps it from being searched, in an order that would have to be sorted.
 */
export function readLogs(segment: number, filter: { attempt: boolean; since: boolean }): string {
  return `
SELECT run, task, attempt, number, at_ms, tenant, stream, text FROM logs_${segment}
WHERE run = ? AND (task, attempt, number) > (?, ?, ?) AND (task, attempt) <= (?, ?)
AND tenant = ? ${filter.attempt ? 'AND +attempt = ?' : ''} ${filter.since ? 'AND at_ms >= ?' : ''}
ORDER BY task, attempt, number LIMIT ?`;
}
