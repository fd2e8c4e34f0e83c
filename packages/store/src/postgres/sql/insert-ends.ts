import { sql } from './statement.ts';

/** One insert into the heap and one into the key (id) per end; see `insert-runs` for the form. */
export const insertEnds = sql(
  'insert_ends',
  (s) => `
insert into ${s}.ends (id, tenant, state, ended_at_ms, detail, output)
select unnest($1::uuid[]), unnest($2::text[]), unnest($3::text[]), unnest($4::bigint[]),
  unnest($5::text[]), unnest($6::bytea[])`,
);
