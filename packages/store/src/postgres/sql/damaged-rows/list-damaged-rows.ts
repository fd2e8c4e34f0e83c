import { sql } from '../statement.ts';

/** Along the primary key, in its order. */
export const listDamagedRows = sql(
  'list_damaged_rows',
  (s) => `
select kind, key, partition, tenant, at_ms, error, bytes from ${s}.damaged_rows
where (kind, key) > ($1::text, $2::text) order by kind, key limit $3::bigint`,
);
