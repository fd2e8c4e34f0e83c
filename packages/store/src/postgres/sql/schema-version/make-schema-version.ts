import { CLOCK_MS, sql } from '../statement.ts';

/** Where the schema's version is kept; made first, under the schema lock. */
export const makeSchemaVersion = sql(
  'make_schema_version',
  (s) => `
create schema if not exists ${s};
create table if not exists ${s}.schema_version (
  version int primary key,
  at_ms bigint not null default ${CLOCK_MS}
)`,
);
