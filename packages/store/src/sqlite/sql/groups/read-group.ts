/** A search by primary key; the body is not read. */
export function readGroup(segment: number): string {
  return `
SELECT partition, seq, epoch, commit_id, at_ms, fact_count FROM groups_${segment}
WHERE partition = ? AND seq = ?`;
}
