import { sql } from '../statement.ts';

/** By primary key, in the one table whose range of seqs holds it. */
export const readGroup = sql(
  'read_group',
  (s) => `
select partition, seq, epoch, commit_id, at_ms, fact_count
from ${s}.groups where partition = $1 and seq = $2`,
);
