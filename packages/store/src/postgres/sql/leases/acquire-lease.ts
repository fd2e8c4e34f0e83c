import { FENCE } from '../../../damage/row-checksums.ts';
import { LEASE_MS_MAX } from '../../../lease-length.ts';
import { CLOCK_MS, sql } from '../statement.ts';

/**
 * Lease and fence in one statement. The upsert locks the lease's row and judges its newest version
 * by the store's clock; the fence takes the next seq. Where the old owner's commit takes that seq
 * at the same moment, the unique key (partition, seq) lets one of the two through: then the caller
 * asks again, and the next seq is one further. A row that is missing is created with the epoch that
 * follows the last one in the journal, so that a deleted row never repeats an epoch.
 * The checksum of the fence is completed here, because its numbers are chosen here (`fenceBase`).
 */
export const acquireLease = sql(
  'acquire_lease',
  (s) => `
with clock as materialized (select ${CLOCK_MS} as now_ms),
taken as (
  insert into ${s}.leases as held (partition, owner, epoch, expires_at_ms)
  select $1::int, $2::text,
    1 + coalesce(
      (select g.epoch from ${s}.groups g where g.partition = $1::int order by g.seq desc limit 1),
      0
    ),
    now_ms + $3::bigint from clock
  on conflict (partition) do update
  set owner = excluded.owner, epoch = held.epoch + 1, expires_at_ms = excluded.expires_at_ms
  where held.owner = excluded.owner or held.expires_at_ms <= (select now_ms from clock)
    or held.expires_at_ms > (select now_ms from clock) + ${LEASE_MS_MAX}
  returning epoch, dropped_seq
),
next as materialized (
  select taken.epoch,
    1 + greatest(
      taken.dropped_seq,
      (select g.seq from ${s}.groups g where g.partition = $1::int order by g.seq desc limit 1)
    ) as seq
  from taken
),
fence as (
  insert into ${s}.groups (partition, seq, epoch, at_ms, fact_count, commit_id, body, checksum)
  select $1::int, next.seq, next.epoch, clock.now_ms, 0, $4::text, '',
    (($5::bigint + next.seq * ${FENCE.ofSeq} + next.epoch * ${FENCE.ofEpoch} + clock.now_ms)
      % ${FENCE.modulus})::int
  from next, clock
  returning seq, epoch
)
select fence.epoch, fence.seq, clock.now_ms from fence, clock`,
);
