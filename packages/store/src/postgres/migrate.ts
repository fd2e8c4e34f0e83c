import { StoreError } from '../errors.ts';
import type { Connection } from './connection/connection.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { MIGRATIONS, type Migration } from './migrations/all-migrations.ts';
import { createSchemaMigrations } from './sql/schema-migrations/create-schema-migrations.ts';
import { insertSchemaVersion } from './sql/schema-migrations/insert-schema-version.ts';
import { readSchemaVersion } from './sql/schema-migrations/read-schema-version.ts';
import { lockSchema } from './sql/session/lock-schema.ts';
import { forgetVoided } from './sql/voided/forget-voided.ts';

/** All missing migrations in one transaction: a node that dies half-way leaves the schema as it was. */
export async function migrate(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const { schema } = database;
  await database.maintenance(async (connection) => {
    await connection.query(step(lockSchema(schema)));
    await connection.script(createSchemaMigrations(schema).text);
    const current = await readVersion(connection, schema, migrations.length);
    for (let version = current + 1; version <= migrations.length; version++) {
      await connection.script((migrations[version - 1] as Migration)(schema));
      await connection.query(
        step(insertSchemaVersion(schema), 1, (writer) => writer.int4(version)),
      );
    }
    await connection.query(step(forgetVoided(schema)));
  });
}

/** Refuses schemas that this program cannot read, and schemas whose rows it might write wrongly. */
async function readVersion(
  connection: Connection,
  schema: string,
  newest: number,
): Promise<number> {
  const [row] = await connection.query<{ version: number; is_earlier: boolean }>(
    step(readSchemaVersion(schema)),
  );
  const version = row?.version ?? 0;
  if (row?.is_earlier === true) {
    throw new StoreError(
      'invalid',
      `schema ${schema} was created by a development version of Signalbox, whose format this program cannot read; use another schema or database, or delete this one with "drop schema ${schema} cascade"`,
    );
  }
  if (version > newest) {
    throw new StoreError(
      'invalid',
      `schema ${schema} has version ${version}, and this program supports versions up to ${newest}; use a newer program`,
    );
  }
  return version;
}
