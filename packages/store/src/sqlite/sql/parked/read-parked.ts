/** A range of the primary key, which covers every column, in its order. */
export function readParked(segment: number): string {
  return `
SELECT partition, lane, sort, id, tenant, checksum FROM parked_${segment}
WHERE partition = ? AND lane = ? AND (sort, id) > (?, ?) AND sort <= ?
ORDER BY sort, id LIMIT ?`;
}
