import { placeholders } from '../placeholders.ts';

/** Goes into the primary key; parking again at the same place changes nothing. As for the keys. */
export function insertParked(segment: number, rowCount: number): string {
  return `
INSERT OR IGNORE INTO parked_${segment} (partition, lane, sort, id, tenant, checksum)
VALUES ${placeholders(6, rowCount)}`;
}
