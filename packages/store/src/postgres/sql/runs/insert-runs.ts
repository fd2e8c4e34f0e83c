import { sql } from '../statement.ts';

const COLUMNS =
  'id, input, input_bytes, head, checksum, input_checksum, tenant, job, job_version, priority';

const OWN = `
select unnest($1::uuid[]), unnest($2::bytea[]), unnest($3::int[]), unnest($4::text[]),
  unnest($5::int[]), unnest($6::int[])`;

const MIXED = `${OWN},
  unnest($7::text[]), unnest($8::text[]), unnest($9::int[]), unnest($10::smallint[])`;

/** An array costs the server a call and a copy for each row, a value of its own next to nothing. */
const ALIKE = `${OWN}, $7::text, $8::text, $9::int, $10::smallint`;

/**
 * One insert into the heap and one into the key (tenant, id) per run. `unnest` stands in the
 * select list, not in the from clause: there the server first copies every row into a tuple store,
 * which costs about a tenth of the statement.
 */
export const insertRuns = {
  mixed: sql('insert_runs', (s) => `insert into ${s}.runs (${COLUMNS}) ${MIXED}`),
  /** Where all runs are of one job version and priority, as those of a batch often are. */
  alike: sql('insert_alike_runs', (s) => `insert into ${s}.runs (${COLUMNS}) ${ALIKE}`),
};

/** As `insertRuns`, for a commit in which a run takes idempotency keys. */
export const insertKeyedRuns = {
  mixed: sql(
    'insert_keyed_runs',
    (s) => `insert into ${s}.runs (${COLUMNS}, keys) ${MIXED}, unnest($11::text[])`,
  ),
  alike: sql(
    'insert_alike_keyed_runs',
    (s) => `insert into ${s}.runs (${COLUMNS}, keys) ${ALIKE}, unnest($11::text[])`,
  ),
};
