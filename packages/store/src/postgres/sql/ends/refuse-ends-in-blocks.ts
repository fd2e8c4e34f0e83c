import { sql } from '../statement.ts';

/**
 * As `refuseCovered`, for ends that are single rows ($2, with their floors $1): the primary key detects
 * another single row, but not a row block. One probe per end, because many blocks may lie between two ends.
 */
export const refuseEndsInBlocks = sql(
  'refuse_ends_in_blocks',
  (s) => `
select 1 / (count(*) = 0)::int
from unnest($1::uuid[], $2::uuid[]) as own(floor, id)
cross join lateral (
  select last from ${s}.ends
  where id >= own.floor and id <= own.id and id >= $3::uuid and id <= $4::uuid
  order by id desc limit 1
) block
where block.last >= own.id`,
);
