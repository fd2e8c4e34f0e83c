import { sql } from '../statement.ts';

const COLUMNS = 'id, ended_at_ms, detail, output, checksum, output_checksum, tenant, state';

const OWN = `
select unnest($1::uuid[]), unnest($2::bigint[]), unnest($3::text[]), unnest($4::bytea[]),
  unnest($5::int[]), unnest($6::int[])`;

/** One insert into the heap and one into the key (id) per end; see `insert-runs` for the forms. */
export const insertEnds = {
  mixed: sql(
    'insert_ends',
    (s) => `insert into ${s}.ends (${COLUMNS}) ${OWN}, unnest($7::text[]), unnest($8::text[])`,
  ),
  alike: sql(
    'insert_alike_ends',
    (s) => `insert into ${s}.ends (${COLUMNS}) ${OWN}, $7::text, $8::text`,
  ),
};
