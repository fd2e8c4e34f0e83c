import { sql } from './statement.ts';

const COLUMNS = 'id, ended_at_ms, detail, output, tenant, state';

const OWN = `
select unnest($1::uuid[]), unnest($2::bigint[]), unnest($3::text[]), unnest($4::bytea[])`;

/** One insert into the heap and one into the key (id) per end; see `insert-runs` for the forms. */
export const insertEnds = {
  mixed: sql(
    'insert_ends',
    (s) => `insert into ${s}.ends (${COLUMNS}) ${OWN}, unnest($5::text[]), unnest($6::text[])`,
  ),
  alike: sql(
    'insert_alike_ends',
    (s) => `insert into ${s}.ends (${COLUMNS}) ${OWN}, $5::text, $6::text`,
  ),
};
