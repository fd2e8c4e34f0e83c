import { rowsInSpans } from './spans.ts';
import { sql } from './statement.ts';

/** One insert into the heap and one into the key for neighbours that share all but their contents. */
export const insertRunPacks = sql(
  'insert_run_packs',
  (s) => `
insert into ${s}.runs
  (id, last, count, body, tenant, job, job_version, class, head, input_bytes)
select unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::int[]), unnest($4::bytea[]),
  unnest($5::text[]), unnest($6::text[]), unnest($7::int[]), unnest($8::smallint[]),
  unnest($9::text[]), 0`,
);

export const insertEndPacks = sql(
  'insert_end_packs',
  (s) => `
insert into ${s}.ends (id, last, count, body, tenant, state, ended_at_ms, detail)
select unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::int[]), unnest($4::bytea[]),
  unnest($5::text[]), unnest($6::text[]), 0, ''`,
);

/**
 * Divides by zero where a row for one of the ids in the spans is there already. The keys are on first
 * ids and do not notice what a pack has in its middle. A statement by itself, before the rows are
 * written: in the same one it would walk over all that the statement has written so far.
 */
const refuseCovered = (table: 'ends' | 'runs') => (s: string) =>
  `select 1 / (count(*) = 0)::int from ${rowsInSpans(s, table)}`;

export const refuseCoveredRuns = sql('refuse_covered_runs', refuseCovered('runs'));
export const refuseCoveredEnds = sql('refuse_covered_ends', refuseCovered('ends'));

/**
 * The same for ends that are rows of their own: their key notices each other, but not a pack. Packs
 * are looked for between the lowest and the highest of ends that are near each other, whoever's.
 */
export const refusePackedEnds = sql(
  'refuse_packed_ends',
  (s) => `
select 1 / (count(*) = 0)::int
from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as span(floor, low, high)
cross join lateral (
  select id, last from ${s}.ends
  where id >= span.floor and id <= span.high and last >= span.low
  offset 0
) pack
where exists (select from unnest($4::uuid[]) as own(id) where own.id between pack.id and pack.last)`,
);
