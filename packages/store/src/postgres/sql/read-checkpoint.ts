import { sql } from './statement.ts';

/**
 * The checkpoint with its chunks in order, from one snapshot: a checkpoint that is replaced
 * meanwhile is read whole, the old one or the new one. Primary keys of both tables.
 */
export const readCheckpoint = sql(
  'read_checkpoint',
  (s) => `
select c.epoch, c.seq, k.body
from ${s}.checkpoints c
left join ${s}.checkpoint_chunks k on k.partition = c.partition and k.seq = c.seq
where c.partition = $1
order by k.number`,
);
