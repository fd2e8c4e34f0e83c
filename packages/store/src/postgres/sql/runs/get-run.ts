import { RUN_COLUMNS } from '../columns.ts';
import { sql } from '../statement.ts';

/**
 * The last row that begins between the floor ($3) and the id: it covers the id, or nothing does.
 * One probe by primary key, in the segment that the id names (I19: tenant in the key).
 */
export const getRun = sql(
  'get_run',
  (s) => `
select ${RUN_COLUMNS} from ${s}.runs r
where r.tenant = $1::text and r.id >= $3::uuid and r.id <= $2::uuid
order by r.id desc limit 1`,
);
