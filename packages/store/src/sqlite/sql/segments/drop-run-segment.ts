/** Frees whole pages; no row is looked at. */
export function dropRunSegment(segment: number): string {
  return `
DROP TABLE runs_${segment};
DROP TABLE ends_${segment};
DROP TABLE parked_${segment};
DROP TABLE logs_${segment}`;
}
