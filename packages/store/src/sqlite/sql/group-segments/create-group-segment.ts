/**
 * Groups of one range of seqs, over all partitions. The body comes last: reading a head does not
 * follow it into its overflow pages. The key is the last wall of the fence (I9).
 */
export function createGroupSegment(segment: number): string {
  return `
CREATE TABLE groups_${segment} (
  partition INTEGER NOT NULL,
  seq INTEGER NOT NULL CHECK (seq > 0),
  epoch INTEGER NOT NULL CHECK (epoch > 0),
  commit_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  fact_count INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (partition, seq)
) STRICT`;
}
