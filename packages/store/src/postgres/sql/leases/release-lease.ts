import { CLOCK_MS, sql } from '../statement.ts';

/** By primary key; owner and epoch are named, so it never ends another's lease. */
export const releaseLease = sql(
  'release_lease',
  (s) => `
update ${s}.leases set expires_at_ms = least(expires_at_ms, ${CLOCK_MS})
where partition = $1::int and owner = $2::text and epoch = $3::bigint`,
);
