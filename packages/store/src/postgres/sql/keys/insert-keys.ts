import { sql } from '../statement.ts';

/**
 * I2 by the primary key (tenant, key). In order, so that two commits that want the same keys meet
 * at the first of them and wait in a line instead of in a deadlock.
 */
export const insertKeys = sql(
  'insert_keys',
  (s) => `
insert into ${s}.keys (tenant, key, run, checksum)
select * from unnest($1::text[], $2::text[], $3::uuid[], $4::int[]) as k(tenant, key, run, checksum)
order by k.tenant collate "C", k.key collate "C"`,
);
