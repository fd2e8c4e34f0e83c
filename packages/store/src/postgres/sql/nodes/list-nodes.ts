import { LEASE_MS_MAX } from '../../../lease-length.ts';
import { CLOCK_MS, sql } from '../statement.ts';

/** Live nodes by name, and the time. The clock's row comes also when there is no node. */
export const listNodes = sql(
  'list_nodes',
  (s) => `
select clock.now_ms, n.node, n.address
from (select ${CLOCK_MS} as now_ms) clock
left join ${s}.nodes n
  on n.expires_at_ms > clock.now_ms and n.expires_at_ms <= clock.now_ms + ${LEASE_MS_MAX}
order by n.node`,
);
