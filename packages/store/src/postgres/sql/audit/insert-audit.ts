import { CLOCK_MS, sql } from '../statement.ts';

/**
 * The last entry is found at the end of the primary key, and the next one written behind it. A
 * statement of its own after the lock: it then sees what the one before in turn has committed.
 * The hash is `auditHash` over the same text, character by character.
 */
export const insertAudit = sql(
  'insert_audit',
  (s) => `
with last as materialized (
  select number, hash from ${s}.audit where tenant = $1::text order by number desc limit 1
),
place as materialized (
  select coalesce((select number from last), 0) + 1 as number,
    coalesce((select hash from last), '') as previous_hash,
    ${CLOCK_MS} as at_ms
)
insert into ${s}.audit
  (tenant, actor, ip, action, target, before, after, reason, number, at_ms, hash)
select $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text,
  number, at_ms, encode(sha256(convert_to(
    format('["%s",%s,%s,"%s"]', previous_hash, number, at_ms, $9::text), 'UTF8')), 'hex')
from place
returning tenant, number, at_ms, actor, ip, action, target, before, after, reason, hash`,
);
