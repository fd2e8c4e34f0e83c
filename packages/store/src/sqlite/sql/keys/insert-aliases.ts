import { placeholders } from '../placeholders.ts';

/** As `insertKeys`, with the time at which a run that was stored before got the key. */
export function insertAliases(rowCount: number): string {
  return `INSERT OR IGNORE INTO keys (tenant, key, run, at_ms, checksum) VALUES ${placeholders(5, rowCount)}`;
}
