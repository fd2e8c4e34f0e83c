import { sql } from '../statement.ts';

/**
 * The checkpoint with its chunks in order, from one snapshot: a checkpoint that is replaced
 * meanwhile is read whole, the old one or the new one. Primary keys of both tables.
 */
export const readCheckpoint = sql('read_checkpoint', (s) => checkpointIn(s, 'checkpoints'));

/** The one before it, in the same form. */
export const readOlderCheckpoint = sql('read_older_checkpoint', (s) =>
  checkpointIn(s, 'older_checkpoints'),
);

function checkpointIn(s: string, table: 'checkpoints' | 'older_checkpoints'): string {
  return `
select c.epoch, c.seq, c.checksum, k.body
from ${s}.${table} c
left join ${s}.checkpoint_chunks k on k.partition = c.partition and k.seq = c.seq
where c.partition = $1
order by k.number`;
}
