import { rowsInSpans } from './spans.ts';
import { sql } from './statement.ts';

/** One insert into the heap and one into the key for neighbours that share all but their contents. */
export const insertRunPacks = sql(
  'insert_run_packs',
  (s) => `
insert into ${s}.runs
  (id, last, count, body, tenant, job, job_version, class, head, checksum, input_checksum, input_bytes)
select unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::int[]), unnest($4::bytea[]),
  unnest($5::text[]), unnest($6::text[]), unnest($7::int[]), unnest($8::int[]),
  unnest($9::text[]), unnest($10::int[]), unnest($11::int[]), 0`,
);

export const insertEndPacks = sql(
  'insert_end_packs',
  (s) => `
insert into ${s}.ends (id, last, count, body, tenant, state, checksum, output_checksum, ended_at_ms, detail)
select unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::int[]), unnest($4::bytea[]),
  unnest($5::text[]), unnest($6::text[]), unnest($7::int[]), unnest($8::int[]), 0, ''`,
);

/**
 * Divides by zero where a row for one of the ids in the spans is there already. The keys are on first
 * ids and do not notice what a pack has in its middle. A statement by itself, before the rows are
 * written: in the same one it would walk over all that the statement has written so far.
 */
const refuseCovered = (table: 'ends' | 'runs') => (s: string) =>
  `select 1 / (count(*) = 0)::int from ${rowsInSpans(s, { table, isAnyones: true })}`;

export const refuseCoveredRuns = sql('refuse_covered_runs', refuseCovered('runs'));
export const refuseCoveredEnds = sql('refuse_covered_ends', refuseCovered('ends'));

/**
 * The same for ends that are rows of their own ($2, with their floors $1): their key notices each
 * other, but not a pack. One probe for each, because what lies between two of them may be many packs.
 */
export const refusePackedEnds = sql(
  'refuse_packed_ends',
  (s) => `
select 1 / (count(*) = 0)::int
from unnest($1::uuid[], $2::uuid[]) as own(floor, id)
cross join lateral (
  select last from ${s}.ends
  where id >= own.floor and id <= own.id and id >= $3::uuid and id <= $4::uuid
  order by id desc limit 1
) pack
where pack.last >= own.id`,
);
