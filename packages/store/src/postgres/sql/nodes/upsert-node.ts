import { CLOCK_MS, sql } from '../statement.ts';

/** One row by primary key; the new version stays in its page. */
export const upsertNode = sql(
  'upsert_node',
  (s) => `
insert into ${s}.nodes (node, address, expires_at_ms)
values ($1::text, $2::text, ${CLOCK_MS} + $3::bigint)
on conflict (node) do update
set address = excluded.address, expires_at_ms = excluded.expires_at_ms`,
);
