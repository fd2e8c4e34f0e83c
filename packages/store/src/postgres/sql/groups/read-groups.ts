import { sql } from '../statement.ts';

/**
 * Along the primary key (partition, seq), table after table in order of seq; stops at the limit, and
 * behind the row whose body reaches $4. The length of a value that lies apart is known without it.
 */
export const readGroups = sql(
  'read_groups',
  (s) => `
select partition, seq, epoch, commit_id, at_ms, fact_count, checksum, body
from (
  select g.*, sum(octet_length(body)) over (
    order by seq rows between unbounded preceding and 1 preceding
  ) as bytes_before
  from (
    select partition, seq, epoch, commit_id, at_ms, fact_count, checksum, body
    from ${s}.groups where partition = $1 and seq > $2 order by seq limit $3
  ) g
) g
where bytes_before is null or bytes_before < $4::bigint
order by seq`,
);
