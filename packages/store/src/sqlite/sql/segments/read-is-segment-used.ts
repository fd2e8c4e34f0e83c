/** Whether a segment holds a run: reads one row. */
export function readIsSegmentUsed(segment: number): string {
  return `SELECT 1 FROM runs_${segment} LIMIT 1`;
}
