import { sql } from './statement.ts';

const SELECT_RUNS = `
select unnest($1::uuid[]), unnest($2::text[]), unnest($3::text[]), unnest($4::int[]),
  unnest($5::smallint[]), unnest($6::text[]), unnest($7::bytea[]), unnest($8::int[])`;

/**
 * One insert into the heap and one into the key (tenant, id) per run. `unnest` stands in the
 * select list, not in the from clause: there the server first copies every row into a tuple store,
 * which costs about a tenth of the statement.
 */
export const insertRuns = sql(
  'insert_runs',
  (s) => `
insert into ${s}.runs (id, tenant, job, job_version, class, head, input, input_bytes)
${SELECT_RUNS}`,
);

/** The same for a commit in which some run takes idempotency keys. */
export const insertKeyedRuns = sql(
  'insert_keyed_runs',
  (s) => `
insert into ${s}.runs (id, tenant, job, job_version, class, head, input, input_bytes, keys)
${SELECT_RUNS}, unnest($9::text[])`,
);
