import { ONE_OFF, type Statement } from '../statement.ts';

/**
 * Whether a group segment holds groups at all, and whether one of them is still needed: not folded
 * into its partition's checkpoint, or too young. Reads the heads in the segment's own table; the
 * bodies lie apart and are not touched.
 */
export function readGroupSegmentUse(s: string, fromSeq: number): Statement {
  return {
    name: ONE_OFF,
    text: `
select exists (select from ${s}.groups_${fromSeq}) as is_used,
  exists (
    select from ${s}.groups_${fromSeq} g
    left join ${s}.checkpoints c on c.partition = g.partition
    where g.seq > coalesce(c.seq, 0) or g.at_ms >= $1::bigint
  ) as is_needed`,
  };
}
