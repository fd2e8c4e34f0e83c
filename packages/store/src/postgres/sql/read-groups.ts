import { sql } from './statement.ts';

/** Along the primary key (partition, seq), table after table in order of seq; stops at the limit. */
export const readGroups = sql(
  'read_groups',
  (s) => `
select partition, seq, epoch, commit_id, at_ms, fact_count, body
from ${s}.groups where partition = $1 and seq > $2 order by seq limit $3`,
);
