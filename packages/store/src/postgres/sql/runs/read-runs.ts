import { rowsInSpans } from '../spans.ts';
import { sql } from '../statement.ts';
import { withinBytes } from '../within-bytes.ts';

/**
 * Rows that cover ids of the spans. An input that is not asked for is not even fetched from where
 * large values are stored; of a row block only the sizes of its inputs are read.
 */
export const readRuns = sql('read_runs', runsInSpans);

/**
 * As `readRuns`, newest first, up to the row that reaches $8 bytes. Row blocks are small and count as
 * 0 bytes.
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
select r.id, r.count, r.tenant, r.job, r.job_version, r.priority, r.head, r.input_bytes, r.keys,
  r.checksum, case when $7::boolean then r.input_checksum end as input_checksum,
  case when $7::boolean then r.input end as input,
  case when $7::boolean then r.body else substr(r.body, 1, 8 * r.count) end as body
from ${rowsInSpans(s, { table: 'runs' })}`;
}
