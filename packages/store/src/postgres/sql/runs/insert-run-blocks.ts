import { sql } from '../statement.ts';

/** One insert into the heap and one into the key per row block. */
export const insertRunBlocks = sql(
  'insert_run_blocks',
  (s) => `
insert into ${s}.runs
  (id, last, count, body, tenant, job, job_version, priority, head, checksum, input_checksum, input_bytes)
select unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::int[]), unnest($4::bytea[]),
  unnest($5::text[]), unnest($6::text[]), unnest($7::int[]), unnest($8::int[]),
  unnest($9::text[]), unnest($10::int[]), unnest($11::int[]), 0`,
);
