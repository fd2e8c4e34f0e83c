import type { Migration } from './migration.ts';

/** Changes of definitions in the order of time, for whoever carries them out. */
export const definitionChanges: Migration = {
  version: 4,
  name: 'definition changes',
  apply: (db) =>
    db.exec('CREATE INDEX definition_changes ON definitions (kind, at_ms, tenant, name, version)'),
};
