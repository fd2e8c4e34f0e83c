import { sql } from './statement.ts';

/** The checkpoint that is being replaced stays as the older one. By primary keys. */
export const keepOlderCheckpoint = sql(
  'keep_older_checkpoint',
  (s) => `
insert into ${s}.older_checkpoints (partition, epoch, seq, checksum)
select partition, epoch, seq, checksum from ${s}.checkpoints where partition = $1
on conflict (partition) do update
set epoch = excluded.epoch, seq = excluded.seq, checksum = excluded.checksum`,
);

/** Chunks of neither the new checkpoint nor the older one, by the first two columns of the primary key. */
export const dropCheckpointChunks = sql(
  'drop_checkpoint_chunks',
  (s) => `
delete from ${s}.checkpoint_chunks where partition = $1 and seq <> $2
  and seq <> coalesce((select seq from ${s}.older_checkpoints where partition = $1), -1)`,
);
