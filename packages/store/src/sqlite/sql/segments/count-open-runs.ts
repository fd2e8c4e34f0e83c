/** Walks the keys of the segment's runs and looks each up among the ends: once per sealing. */
export function countOpenRuns(segment: number): string {
  return `
SELECT count(*) AS open_runs FROM runs_${segment} r
WHERE NOT EXISTS (SELECT 1 FROM ends_${segment} e WHERE e.id = r.id AND e.tenant = r.tenant)`;
}
