import { placeholders } from '../placeholders.ts';

/**
 * I2: the primary key decides; a key that is taken changes no row, so the count falls short.
 * OR IGNORE, because ON CONFLICT DO NOTHING keeps a journal of each many-row statement and takes
 * nearly twice as long. What else OR IGNORE would swallow, the validation before has refused.
 */
export function insertKeys(rowCount: number): string {
  return `INSERT OR IGNORE INTO keys (tenant, key, run, checksum) VALUES ${placeholders(4, rowCount)}`;
}
