import { sql } from '../statement.ts';
import { withinBytes } from '../within-bytes.ts';

/** The primary key from the cursor on, up to the entry that reaches $4 bytes. */
export const readAudit = sql('read_audit', (s) =>
  withinBytes({
    rows: `
  select tenant, number, at_ms, actor, ip, action, target, before, after, reason, hash
  from ${s}.audit
  where tenant = $1::text and number > $2::bigint
  order by number
  limit $3::bigint`,
    order: 'number',
    bytes: `octet_length(target) + coalesce(octet_length(before), 0)
    + coalesce(octet_length(after), 0) + octet_length(reason)`,
    bytesMax: '$4::bigint',
  }),
);
