import { ONE_OFF, type Statement } from '../statement.ts';

/** The last seq of each partition in a group segment that is about to go. */
export function readGroupSegmentEnds(s: string, fromSeq: number): Statement {
  return {
    name: ONE_OFF,
    text: `
select partition, max(seq) as last_seq from ${s}.groups_${fromSeq} group by partition`,
  };
}
