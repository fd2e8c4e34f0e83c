/** A search by primary key in runs and another in ends. */
export function readIsLive(segment: number): string {
  return `
SELECT 1 FROM runs_${segment} r WHERE r.tenant = ? AND r.id = ?
AND NOT EXISTS (SELECT 1 FROM ends_${segment} e WHERE e.id = r.id AND e.tenant = r.tenant)`;
}
