import { StoreError } from '../errors.ts';
import type { Database } from './database.ts';
import { MIGRATIONS, type Migration } from './migrations/all-migrations.ts';
import type { SegmentSizes } from './segment-catalog.ts';
import { createSchemaMigrations } from './sql/schema-migrations/create-schema-migrations.ts';
import { insertSchemaVersion } from './sql/schema-migrations/insert-schema-version.ts';
import { readSchemaVersion } from './sql/schema-migrations/read-schema-version.ts';
import { insertSetting } from './sql/settings/insert-setting.ts';
import { readSetting } from './sql/settings/read-setting.ts';

/**
 * Brings the schema up to date in one exclusive transaction: of two processes that start at once,
 * the second finds the work done. A crash half-way leaves the old schema.
 */
export function migrate(db: Database, migrations: readonly Migration[] = MIGRATIONS): void {
  db.migrate(() => {
    db.exec(createSchemaMigrations);
    const current = readVersion(db, migrations.length);
    for (let version = current + 1; version <= migrations.length; version++) {
      (migrations[version - 1] as Migration)(db);
      db.run(insertSchemaVersion, version);
    }
  });
}

/** Refuses files that this program cannot read, and files whose rows it might write wrongly. */
function readVersion(db: Database, newest: number): number {
  const row = db.get(readSchemaVersion);
  const version = row?.['version'] as number;
  if (row?.['is_earlier'] === 1) {
    throw new StoreError(
      'invalid',
      'the file was created by a development version of Signalbox, whose format this program cannot read; use another file, or delete this one',
    );
  }
  if (version > newest) {
    throw new StoreError(
      'invalid',
      `the file has schema version ${version}, and this program supports versions up to ${newest}; use a newer program`,
    );
  }
  return version;
}

/** The sizes are a property of the file: the first to open it decides, later ones must agree. */
export function requireSizes(
  db: Database,
  params: { requested: Partial<SegmentSizes>; defaults: SegmentSizes },
): SegmentSizes {
  return db.write(() => {
    const requireSize = (name: keyof SegmentSizes): number => {
      const requested = params.requested[name];
      db.run(insertSetting, name, requested ?? params.defaults[name]);
      const stored = db.get(readSetting, name)?.['value'] as number;
      if (requested !== undefined && requested !== stored) {
        throw new StoreError(
          'invalid',
          `the file was created with ${name} ${stored}, not ${requested}`,
        );
      }
      return stored;
    };
    return {
      segmentMs: requireSize('segmentMs'),
      groupSegmentSize: requireSize('groupSegmentSize'),
    };
  });
}
