import { sql } from './statement.ts';

/** The primary key from the cursor on. */
export const readAudit = sql(
  'read_audit',
  (s) => `
select tenant, number, at_ms, actor, ip, action, target, before, after, reason, hash
from ${s}.audit
where tenant = $1::text and number > $2::bigint
order by number
limit $3::bigint`,
);
