import { sql } from '../statement.ts';

/**
 * The fence (I9). Three probes per part – the lease, the previous group, the voided attempts – and
 * one insert with its unique key (partition, seq):
 *
 * - A lease under another epoch, a seq that leaves a gap, or a voided attempt makes the commit id
 *   null, which the column refuses: the transaction is rolled back before it has cost anything.
 *   The probes take no lock.
 * - A take-over that commits after this statement's snapshot is not seen by the probes, but it has
 *   put its own group at this very seq: the unique key refuses the second of the two, whichever
 *   it is. That collision, not the probe, is what makes the fence safe.
 *
 * The lease and the fence group come from one transaction, so a snapshot shows both or neither.
 *
 * The previous group is a scalar sub-query and the lease a lateral one with `offset 0`, because
 * either as `exists` or as a plain join may be planned as a hash over the whole table: right for
 * the empty table the plan is made on, ruinous for the full one it is used on.
 */
export const insertGroup = sql(
  'insert_group',
  (s) => `
insert into ${s}.groups (partition, seq, epoch, at_ms, fact_count, body, checksum, commit_id)
select g.partition, g.seq, g.epoch, g.at_ms, g.fact_count, g.body, g.checksum,
  case
    when lease.epoch = g.epoch
      and g.seq > lease.dropped_seq
      and (
        g.seq = lease.dropped_seq + 1
        or (
          select true from ${s}.groups previous
          where previous.partition = g.partition and previous.seq = g.seq - 1
        )
      )
      and not exists (select from ${s}.voided where token = $8::bigint)
    then $7::text
  end
from unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[], $5::int[], $6::bytea[], $9::int[])
  as g(partition, seq, epoch, at_ms, fact_count, body, checksum)
left join lateral (
  select epoch, dropped_seq from ${s}.leases where partition = g.partition offset 0
) lease on true`,
);
