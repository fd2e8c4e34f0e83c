import { CLOCK_MS, sql } from '../statement.ts';

/**
 * Renews the leases that are still this owner's under these epochs. The rows are locked in order
 * of partition, so that two nodes that beat at once never wait for each other in a ring.
 */
export const renewLease = sql(
  'renew_lease',
  (s) => `
with mine as materialized (
  select l.partition
  from ${s}.leases l
  join unnest($3::int[], $4::bigint[]) as requested(partition, epoch)
    on requested.partition = l.partition and requested.epoch = l.epoch
  where l.owner = $1::text
  order by l.partition
  for update of l
)
update ${s}.leases l set expires_at_ms = ${CLOCK_MS} + $2::bigint
from mine where mine.partition = l.partition
returning l.partition, l.epoch`,
);
