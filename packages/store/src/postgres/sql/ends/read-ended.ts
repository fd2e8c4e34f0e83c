import { rowsInSpans } from '../spans.ts';
import { sql } from '../statement.ts';

/** Which ids of the spans have ended, and no more than that. */
export const readEnded = sql(
  'read_ended',
  (s) => `
select string_agg(uuid_send(r.id), ''::bytea) as ids,
  to_json(array_agg(coalesce(r.count, 1))) as counts,
  to_json(array_agg(r.tenant)) as tenants
from ${rowsInSpans(s, { table: 'ends' })}`,
);
