import { CLOCK_MS, sql } from '../statement.ts';

/** Who holds a lease, and for how long still. By primary key. */
export const readLease = sql(
  'read_lease',
  (s) => `
select owner, epoch, expires_at_ms - ${CLOCK_MS} as remaining_ms
from ${s}.leases where partition = $1::int`,
);
