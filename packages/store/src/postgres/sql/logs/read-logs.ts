import { sql } from '../statement.ts';
import { withinBytes } from '../within-bytes.ts';

/** Along the key from one border to the other, in one segment; the tenant is tested row by row. */
export const readLogs = sql('read_logs', (s) =>
  withinBytes({
    rows: `
  select run, task, attempt, number, at_ms, tenant, stream, text
  from ${s}.logs
  where run = $1::uuid
    and (task, attempt, number) > ($2::int, $3::int, $4::bigint)
    and (task, attempt) <= ($5::int, $6::int)
    and tenant = $7::text
    and ($8::int is null or attempt = $8::int)
    and ($9::bigint is null or at_ms >= $9::bigint)
  order by task, attempt, number
  limit $10::bigint`,
    order: 'task, attempt, number',
    bytes: 'octet_length(text)',
    bytesMax: '$11::bigint',
  }),
);
