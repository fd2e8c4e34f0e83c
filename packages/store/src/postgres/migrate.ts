import { StoreError } from '../errors.ts';
import type { Connection } from './connection/connection.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { fillChecksums } from './fill-checksums.ts';
import { FILLED_BEHIND, migrations } from './migrations/all-migrations.ts';
import { makeSchemaVersion } from './sql/schema-version/make-schema-version.ts';
import { readSchemaVersion } from './sql/schema-version/read-schema-version.ts';
import { writeSchemaVersion } from './sql/schema-version/write-schema-version.ts';
import { lockSchema } from './sql/session/lock-schema.ts';
import { forgetVoided } from './sql/voided/forget-voided.ts';

/** `upTo` lets a test stop at an older version; the product always goes to the newest. */
export async function migrate(database: Database, upTo = migrations.length): Promise<void> {
  await database.maintenance((connection) => bringUp(connection, database.schema, upTo));
}

/** All missing migrations in one transaction: a node that dies half-way leaves nothing half done. */
async function bringUp(connection: Connection, schema: string, upTo: number): Promise<void> {
  await connection.query(step(lockSchema(schema)));
  await connection.script(makeSchemaVersion(schema).text);
  const [row] = await connection.query<{ version: number }>(step(readSchemaVersion(schema)));
  const current = row?.version ?? 0;
  if (current > migrations.length) {
    // An older program would write rows that the newer one has promised not to find.
    throw new StoreError(
      'invalid',
      `schema ${schema} has version ${current}, and this program supports versions up to ${migrations.length}; use a newer program`,
    );
  }
  for (const [index, migration] of migrations.slice(0, upTo).entries()) {
    if (index < current) continue;
    await connection.script(migration(schema));
    if (index === FILLED_BEHIND && current > 0) await fillChecksums(connection, schema);
    await connection.query(step(writeSchemaVersion(schema), 1, (writer) => writer.int4(index + 1)));
  }
  await connection.query(step(forgetVoided(schema)));
}
