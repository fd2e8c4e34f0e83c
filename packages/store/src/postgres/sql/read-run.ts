import { RUN_COLUMNS } from './columns.ts';
import { sql } from './statement.ts';

/**
 * One probe of the key (tenant, id) per run, in its own segment. `offset 0` keeps the planner from
 * turning the probes into a join over whole segments where it knows too little about them.
 * An input that is not asked for is not even fetched from where large values lie.
 */
export const readRun = sql(
  'read_run',
  (s) => `
select ${RUN_COLUMNS.replace('r.input,', 'case when $3::boolean then r.input end as input,')}
from unnest($1::text[], $2::uuid[]) as wanted(tenant, id)
cross join lateral (
  select * from ${s}.runs where tenant = wanted.tenant and id = wanted.id offset 0
) r`,
);
