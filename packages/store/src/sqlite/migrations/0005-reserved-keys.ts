import type { Migration } from './migration.ts';

/**
 * A key may be reserved by an inbox entry, which `inbox` names; `at_ms` is when a key was given to a
 * run that was there before. Both are null in every row from before. Entries that wait already
 * reserve their keys from here on.
 */
const RESERVED_KEYS = `
ALTER TABLE keys ADD COLUMN inbox TEXT;
ALTER TABLE keys ADD COLUMN at_ms INTEGER;
INSERT OR IGNORE INTO keys (tenant, key, run, inbox)
SELECT tenant, key, zeroblob(16), id FROM inbox WHERE key IS NOT NULL ORDER BY at_ms, id;
`;

export const reservedKeys: Migration = {
  version: 5,
  name: 'reserved keys',
  apply: (db) => db.exec(RESERVED_KEYS),
};
