import { CLOCK_MS, sql } from '../statement.ts';

/**
 * One row by primary key; a repeat changes nothing. A damaged inbox entry is moved: left in the inbox it
 * would be read with every page, and its key could never be used again. The keys are scanned for it,
 * because the entry does not contain its key reliably; there are few such entries. If the id of the entry is damaged,
 * its key names an entry that does not exist. A damaged checkpoint goes as well:
 * its number cannot be relied on, and the next checkpoint has to be able to replace it.
 */
export const insertDamagedRow = sql(
  'insert_damaged_row',
  (s) => `
with moved as (
  delete from ${s}.inbox where $1::text = 'inbox' and id = $2::text
),
released as (
  delete from ${s}.keys where $1::text = 'inbox' and (
    entry = $2::text
    or (entry is not null and not exists (select 1 from ${s}.inbox i where i.id = keys.entry))
  )
),
newest as (
  delete from ${s}.checkpoints where $1::text = 'checkpoint' and partition || '/' || seq = $2::text
),
older as (
  delete from ${s}.older_checkpoints where $1::text = 'checkpoint' and partition || '/' || seq = $2::text
)
insert into ${s}.damaged_rows (kind, key, partition, tenant, at_ms, error, bytes)
select $1::text, $2::text, $3::int, $4::text, ${CLOCK_MS}, $5::text, $6::bytea
on conflict do nothing`,
);
