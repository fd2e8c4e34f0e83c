import { sql } from '../statement.ts';

/** One row at the end of the primary key. */
export const insertSchemaVersion = sql(
  'insert_schema_version',
  (s) => `insert into ${s}.schema_migrations (version) values ($1::int)`,
);
