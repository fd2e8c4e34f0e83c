import { rowsInSpans } from './spans.ts';
import { sql } from './statement.ts';
import { withinBytes } from './within-bytes.ts';

/**
 * Rows that cover ids of the spans. An input that is not asked for is not even fetched from where
 * large values lie; of a pack the sizes of its inputs are.
 */
export const readRuns = sql('read_runs', runsInSpans);

/**
 * The same, newest first, up to the row that reaches $8 bytes. Rows that several runs share are small,
 * and weigh nothing here.
 */
export const readListedRuns = sql('read_listed_runs', (s) =>
  withinBytes({
    rows: runsInSpans(s),
    order: 'id desc',
    bytes: `case when count is null
      then octet_length(head) + coalesce(octet_length(input), 0) else 0 end`,
    bytesMax: '$8::bigint',
  }),
);

function runsInSpans(s: string): string {
  return `
select r.id, r.count, r.tenant, r.job, r.job_version, r.class, r.head, r.input_bytes, r.keys,
  r.checksum, case when $7::boolean then r.input_checksum end as input_checksum,
  case when $7::boolean then r.input end as input,
  case when $7::boolean then r.body else substr(r.body, 1, 8 * r.count) end as body
from ${rowsInSpans(s, { table: 'runs' })}`;
}

/**
 * The same with inputs, as one row that holds each column as one list: a long backlog is read at the
 * rate at which it drains, and to take a thousand rows of ten values apart costs the node more than to
 * run the tasks. All inputs together are one value of the answer, and none may be longer than a string
 * of the node: where they are more than $7 bytes there are no contents, only their lengths.
 */
export const readRunLists = sql(
  'read_run_lists',
  (s) => `
select
  string_agg(uuid_send(r.id), ''::bytea) as ids,
  to_json(array_agg(coalesce(r.count, 1))) as counts,
  to_json(array_agg(r.tenant)) as tenants,
  to_json(array_agg(r.job)) as jobs,
  to_json(array_agg(r.job_version)) as job_versions,
  to_json(array_agg(r.class)) as classes,
  to_json(array_agg(r.head)) as heads,
  to_json(array_agg(r.keys)) as keys,
  to_json(array_agg(r.input_bytes)) as input_bytes,
  to_json(array_agg(r.checksum)) as checksums,
  to_json(array_agg(r.input_checksum)) as input_checksums,
  to_json(array_agg(length(r.contents))) as lengths,
  string_agg(case when r.bytes <= $7::bigint then r.contents end, ''::bytea) as contents,
  coalesce(bool_and(r.bytes <= $7::bigint), true) as is_whole
from (
  select r.*, sum(octet_length(r.contents)) over () as bytes
  from (
    select r.*, coalesce(r.input, r.body) as contents
    from ${rowsInSpans(s, { table: 'runs' })}
  ) r
) r`,
);
