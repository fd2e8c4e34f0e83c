/** The end of a range of the primary key. */
export function readLastGroup(segment: number): string {
  return `
SELECT seq, epoch FROM groups_${segment} WHERE partition = ? ORDER BY seq DESC LIMIT 1`;
}
