import { sql } from '../statement.ts';

/**
 * What a refused commit met: of each partition the current epoch and the last seq. One probe of
 * the lease and one step back from the end of the primary key (partition, seq).
 */
export const readLeaseEnds = sql(
  'read_lease_ends',
  (s) => `
select p.partition, lease.epoch,
  greatest(
    lease.dropped_seq,
    (select g.seq from ${s}.groups g where g.partition = p.partition order by g.seq desc limit 1)
  ) as last_seq
from unnest($1::int[]) as p(partition)
left join ${s}.leases lease on lease.partition = p.partition`,
);
