import { sql } from '../statement.ts';

/** One row, together with the reservation of its key; nothing where either is there already. */
export const insertInbox = sql(
  'insert_inbox',
  (s) => `
with reserved as (
  insert into ${s}.keys (tenant, key, run, entry, checksum)
  select $3::text, $8::text, $10::uuid, $1::text, $12::int
  where $8::text is not null and not exists (select 1 from ${s}.inbox where id = $1::text)
  on conflict do nothing returning 1
)
insert into ${s}.inbox (id, partition, tenant, job, priority, head, input, key, at_ms, checksum, kind)
select $1::text, $2::int, $3::text, $4::text, $5::smallint, $6::text, $7::bytea, $8::text, $9::bigint,
  $11::int, $13::text
where $8::text is null or exists (select 1 from reserved)
on conflict do nothing returning 1`,
);
