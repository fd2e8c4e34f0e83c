import { sql } from '../statement.ts';

/**
 * Numbering and fence outlive the groups (I9): the next seq is found beside the lease when the
 * partition's last group is gone. By primary key of the lease.
 */
export const keepDroppedSeqs = sql(
  'keep_dropped_seqs',
  (s) => `
update ${s}.leases l set dropped_seq = greatest(l.dropped_seq, gone.last_seq)
from unnest($1::int[], $2::bigint[]) as gone(partition, last_seq)
where l.partition = gone.partition`,
);
