import { sql } from '../statement.ts';

/** The checkpoint that is being replaced stays as the older one. By primary keys. */
export const keepOlderCheckpoint = sql(
  'keep_older_checkpoint',
  (s) => `
insert into ${s}.older_checkpoints (partition, epoch, seq, checksum)
select partition, epoch, seq, checksum from ${s}.checkpoints where partition = $1
on conflict (partition) do update
set epoch = excluded.epoch, seq = excluded.seq, checksum = excluded.checksum`,
);
