import { sql } from '../statement.ts';

/** The current epoch and how far the stored checkpoint reaches, -1 for none. By primary keys. */
export const readCheckpointSeq = sql(
  'read_checkpoint_head',
  (s) => `
select l.epoch, coalesce(c.seq, -1) as seq
from ${s}.leases l left join ${s}.checkpoints c on c.partition = l.partition
where l.partition = $1::int`,
);
