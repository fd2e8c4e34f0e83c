import type { Migration } from './migration.ts';

/** When a segment was sealed; null for those that were sealed before, which may be dropped at once. */
export const sealedAt: Migration = {
  version: 6,
  name: 'sealed at',
  apply: (db) => db.exec('ALTER TABLE segments ADD COLUMN sealed_at_ms INTEGER;'),
};
