import { sql } from '../statement.ts';

/**
 * A page along the key (partition, lane, sort, id), merged over the segments, with each column as
 * one list. The runs themselves are looked up behind the page: those of one request share rows, and
 * all of them are fetched by one look.
 */
export const readParked = sql(
  'read_parked',
  (s) => `
select
  string_agg(uuid_send(p.id), ''::bytea) as ids,
  to_json(array_agg(p.sort)) as sorts,
  to_json(array_agg(p.tenant)) as tenants,
  to_json(array_agg(p.checksum)) as checksums
from (
  select sort, id, tenant, checksum from ${s}.parked
  where partition = $1::int and lane = $2::text
    and (sort, id) > ($3::bigint, $4::uuid) and sort <= $5::bigint
  order by sort, id
  limit $6::bigint
) p`,
);
