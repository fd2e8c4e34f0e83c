import { rowsInSpans } from '../spans.ts';
import { sql } from '../statement.ts';

/**
 * As `readRuns` with inputs, as one row that holds each column as one list: a long backlog is read at the
 * rate at which it drains, and to take a thousand rows of ten values apart costs the node more than to
 * run the tasks. All inputs together are one value of the result, and none may be longer than a string
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
  to_json(array_agg(r.priority)) as priorities,
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
