import { StoreError } from '../errors.ts';
import type { Database } from './database.ts';
import { MIGRATIONS } from './migrations/all-migrations.ts';
import type { SegmentSizes } from './segment-catalog.ts';
import { makeSchemaVersion } from './sql/schema-version/make-schema-version.ts';
import { readSchemaVersion } from './sql/schema-version/read-schema-version.ts';
import { writeSchemaVersion } from './sql/schema-version/write-schema-version.ts';
import { insertSetting } from './sql/settings/insert-setting.ts';
import { readSetting } from './sql/settings/read-setting.ts';

/**
 * Brings the schema up to date in one exclusive transaction: of two processes that start at once,
 * the second finds the work done. A crash half-way leaves the old schema.
 */
export function migrate(db: Database, upTo: number = newestVersion()): void {
  db.migrate(() => {
    db.exec(makeSchemaVersion);
    const version = (db.get(readSchemaVersion)?.['version'] as number | undefined) ?? 0;
    if (version > newestVersion()) {
      throw new StoreError(
        'invalid',
        `the file has schema version ${version}, and this program supports versions up to ${newestVersion()}; use a newer program`,
      );
    }
    for (const migration of MIGRATIONS) {
      if (migration.version <= version || migration.version > upTo) continue;
      migration.apply(db);
      db.run(writeSchemaVersion, migration.version);
    }
  });
}

/** The sizes are a property of the file: the first to open it decides, later ones must agree. */
export function settleSizes(
  db: Database,
  params: { wanted: Partial<SegmentSizes>; defaults: SegmentSizes },
): SegmentSizes {
  return db.write(() => {
    const settle = (name: keyof SegmentSizes): number => {
      const wanted = params.wanted[name];
      db.run(insertSetting, name, wanted ?? params.defaults[name]);
      const stored = db.get(readSetting, name)?.['value'] as number;
      if (wanted !== undefined && wanted !== stored) {
        throw new StoreError(
          'invalid',
          `the file was created with ${name} ${stored}, not ${wanted}`,
        );
      }
      return stored;
    };
    return { segmentMs: settle('segmentMs'), groupSegmentSize: settle('groupSegmentSize') };
  });
}

function newestVersion(): number {
  return MIGRATIONS.at(-1)?.version ?? 0;
}
