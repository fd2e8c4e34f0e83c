/** A range of the primary key, in its order. */
export function readGroups(segment: number): string {
  return `
SELECT partition, seq, epoch, commit_id, at_ms, fact_count, checksum, body FROM groups_${segment}
WHERE partition = ? AND seq > ? ORDER BY seq LIMIT ?`;
}
