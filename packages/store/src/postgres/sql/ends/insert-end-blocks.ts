import { sql } from '../statement.ts';

/** One insert into the heap and one into the key per row block. */
export const insertEndBlocks = sql(
  'insert_end_blocks',
  (s) => `
insert into ${s}.ends (id, last, count, body, tenant, state, checksum, output_checksum, ended_at_ms, detail)
select unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::int[]), unnest($4::bytea[]),
  unnest($5::text[]), unnest($6::text[]), unnest($7::int[]), unnest($8::int[]), 0, ''`,
);
