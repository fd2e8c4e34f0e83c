import { sql } from '../statement.ts';

export const writeSchemaVersion = sql(
  'write_schema_version',
  (s) => `insert into ${s}.schema_version (version) values ($1::int)`,
);
