import { sql } from '../statement.ts';

/** Along the primary key (tenant, kind, name, version), like `listDefinitions`, without the bodies. */
export const countDefinitions = sql(
  'count_definitions',
  (s) => `
select count(*)::int as count from (
  select distinct on (name) deleted from ${s}.definitions
  where tenant = $1::text and kind = $2::text
  order by name, version desc
) newest
where not deleted`,
);
