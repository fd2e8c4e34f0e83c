import { sql } from '../statement.ts';

/**
 * The oldest of each partition along the index (partition, at_ms, id), then the oldest of these:
 * an inbox that has grown during an outage is not sorted as a whole for every page. The page stops
 * behind the entry that reaches $3 bytes.
 */
export const readInbox = sql(
  'read_inbox',
  (s) => `
select *
from (
  select i.*, sum(octet_length(head) + coalesce(octet_length(input), 0)) over (
    order by at_ms, id rows between unbounded preceding and 1 preceding
  ) as bytes_before
  from (
    select i.*
    from (select distinct unnest($1::int[]) as partition) requested
    cross join lateral (
      select * from ${s}.inbox where partition = requested.partition
      order by at_ms, id limit $2::bigint
    ) i
    order by i.at_ms, i.id
    limit $2::bigint
  ) i
) i
where bytes_before is null or bytes_before < $3::bigint
order by at_ms, id`,
);
