import { sql } from './statement.ts';

/**
 * The oldest of each partition along the index (partition, at_ms, id), then the oldest of these:
 * an inbox that has grown during an outage is not sorted as a whole for every page.
 */
export const readInbox = sql(
  'read_inbox',
  (s) => `
select i.*
from (select distinct unnest($1::int[]) as partition) wanted
cross join lateral (
  select * from ${s}.inbox where partition = wanted.partition
  order by at_ms, id limit $2::bigint
) i
order by i.at_ms, i.id
limit $2::bigint`,
);

/** One row by primary key. */
export const readInboxEntry = sql(
  'read_inbox_entry',
  (s) => `select * from ${s}.inbox where id = $1::text`,
);
