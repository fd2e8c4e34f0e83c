import { sql } from '../statement.ts';

/** A scan: there are as many rows as partitions. */
export const listLeases = sql(
  'list_leases',
  (s) => `
select partition, owner, epoch, expires_at_ms from ${s}.leases order by partition`,
);
