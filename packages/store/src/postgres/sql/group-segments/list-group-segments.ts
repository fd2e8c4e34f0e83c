import { sql } from '../statement.ts';

/** A scan of a small table: one row per group segment. */
export const listGroupSegments = sql(
  'list_group_segments',
  (s) => `select from_seq, to_seq from ${s}.group_segments order by from_seq`,
);
