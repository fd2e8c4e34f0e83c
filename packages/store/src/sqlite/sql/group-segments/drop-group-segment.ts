/** Frees whole pages; no row is looked at. */
export function dropGroupSegment(segment: number): string {
  return `DROP TABLE groups_${segment}`;
}
