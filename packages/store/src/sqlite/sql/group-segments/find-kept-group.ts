/** Walks the segment until a group is found that must stay; each looks up its checkpoint by key. */
export function findKeptGroup(segment: number): string {
  return `
SELECT 1 FROM groups_${segment} g LEFT JOIN checkpoints c ON c.partition = g.partition
WHERE g.seq > coalesce(c.seq, 0) OR g.at_ms >= ? LIMIT 1`;
}
