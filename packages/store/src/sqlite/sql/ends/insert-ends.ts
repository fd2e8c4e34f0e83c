import { placeholders } from '../placeholders.ts';

/** Goes into the primary key, mostly near its end. OR FAIL as for the runs. */
export function insertEnds(segment: number, rowCount: number): string {
  return `
INSERT OR FAIL INTO ends_${segment} 
  (id, tenant, state, ended_at_ms, checksum, output_checksum, detail, output)
VALUES ${placeholders(8, rowCount)}`;
}
