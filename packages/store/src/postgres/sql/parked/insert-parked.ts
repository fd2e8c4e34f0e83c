import { sql } from '../statement.ts';

/** Parking a run again at the same place is a no-op by the primary key. */
export const insertParked = sql(
  'insert_parked',
  (s) => `
insert into ${s}.parked (partition, lane, sort, tenant, id, checksum)
select unnest($1::int[]), unnest($2::text[]), unnest($3::bigint[]), unnest($4::text[]),
  unnest($5::uuid[]), unnest($6::int[])
on conflict do nothing`,
);
