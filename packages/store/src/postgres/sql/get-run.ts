import { END_COLUMNS, RUN_COLUMNS } from './columns.ts';
import { sql } from './statement.ts';

/** Two probes by primary key, each in the one segment that the id names (I19: tenant in the key). */
export const getRun = sql(
  'get_run',
  (s) => `
select ${RUN_COLUMNS}, ${END_COLUMNS}
from ${s}.runs r
left join ${s}.ends e on e.id = r.id and e.tenant = r.tenant
where r.tenant = $1::text and r.id = $2::uuid`,
);
