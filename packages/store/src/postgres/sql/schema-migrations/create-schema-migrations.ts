import { CLOCK_MS, sql } from '../statement.ts';

/** Created first, under the schema lock: one row for each migration that has been applied. */
export const createSchemaMigrations = sql(
  'create_schema_migrations',
  (s) => `
create schema if not exists ${s};
create table if not exists ${s}.schema_migrations (
  version int primary key,
  at_ms bigint not null default ${CLOCK_MS}
)`,
);
