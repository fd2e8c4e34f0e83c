import type { Migration } from './migration.ts';

/**
 * What retention needs: finding old keys without a walk over all of them, and remembering which
 * segments are gone, so that none of them is made again. Segments written before were never dropped
 * while their row stayed, so 0 is true for each of them.
 */
const RETENTION = `
CREATE INDEX keys_by_run ON keys (run);
ALTER TABLE segments ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0 CHECK (dropped IN (0, 1));
`;

export const retention: Migration = {
  version: 2,
  name: 'retention',
  apply: (db) => db.exec(RETENTION),
};
