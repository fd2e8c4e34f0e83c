/** One row, at the end of its partition in the primary key. */
export function insertGroup(segment: number): string {
  return `
INSERT INTO groups_${segment} (partition, seq, epoch, commit_id, at_ms, fact_count, body, checksum)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
}
