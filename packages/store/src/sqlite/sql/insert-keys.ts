import { placeholders } from './placeholders.ts';

/**
 * I2: the primary key decides; a key that is taken changes no row, so the count falls short.
 * OR IGNORE, because ON CONFLICT DO NOTHING keeps a journal of each many-row statement and takes
 * nearly twice as long. What else OR IGNORE would swallow, the validation before has refused.
 */
export function insertKeys(rowCount: number): string {
  return `INSERT OR IGNORE INTO keys (tenant, key, run, checksum) VALUES ${placeholders(4, rowCount)}`;
}

/** As `insertKeys`, with the time at which a run that was there before was given the key. */
export function insertNames(rowCount: number): string {
  return `INSERT OR IGNORE INTO keys (tenant, key, run, at_ms, checksum) VALUES ${placeholders(5, rowCount)}`;
}

/** One row by primary key; a key that is taken changes nothing. */
export const RESERVE_KEY =
  'INSERT OR IGNORE INTO keys (tenant, key, run, inbox, checksum) VALUES (?, ?, ?, ?, ?)';

/** By primary key, for the entry that goes: another's stays. */
export const RELEASE_KEY = `
DELETE FROM keys WHERE inbox = ?1 AND (tenant, key) = (SELECT tenant, key FROM inbox WHERE id = ?1)`;
