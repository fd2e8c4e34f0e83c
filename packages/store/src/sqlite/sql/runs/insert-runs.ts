import { placeholders } from '../placeholders.ts';

/**
 * Appends to the table; the key goes to the end of its tenant in the primary key.
 * OR FAIL, because the whole transaction is rolled back at a conflict anyway: the default would
 * keep a journal of each many-row statement just to undo it alone, and takes twice the CPU.
 */
export function insertRuns(segment: number, rowCount: number): string {
  return `
INSERT OR FAIL INTO runs_${segment}
  (tenant, id, job, job_version, priority, head, keys, input_bytes, checksum, input_checksum, input)
VALUES ${placeholders(11, rowCount)}`;
}
