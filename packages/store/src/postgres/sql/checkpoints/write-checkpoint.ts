import { sql } from '../statement.ts';

/**
 * Moves the checkpoint forward, never back, and only for the current epoch. The share lock on the
 * lease keeps a take-over waiting until this transaction ends, so a superseded owner cannot slip
 * its checkpoint in behind the new one's (I9). It keeps beats waiting as well, so this is the
 * last statement before the commit.
 */
export const writeCheckpoint = sql(
  'write_checkpoint',
  (s) => `
with owned as (
  select partition from ${s}.leases where partition = $1::int and epoch = $2::bigint for share
)
insert into ${s}.checkpoints as stored (partition, epoch, seq, chunk_count, checksum)
select partition, $2::bigint, $3::bigint, $4::int, $5::int from owned
on conflict (partition) do update
set epoch = excluded.epoch, seq = excluded.seq, chunk_count = excluded.chunk_count,
  checksum = excluded.checksum
where excluded.seq > stored.seq
returning partition`,
);
