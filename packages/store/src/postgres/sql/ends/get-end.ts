import { END_COLUMNS } from '../columns.ts';
import { sql } from '../statement.ts';

/** As `getRun`, for the end of a run; the key does not contain the tenant. */
export const getEnd = sql(
  'get_end',
  (s) => `
select ${END_COLUMNS} from ${s}.ends e
where e.id >= $2::uuid and e.id <= $1::uuid
order by e.id desc limit 1`,
);
