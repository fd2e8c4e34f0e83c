import { sql } from './statement.ts';

/** One row; the primary key makes a repeat a no-op. */
export const insertInbox = sql(
  'insert_inbox',
  (s) => `
insert into ${s}.inbox (id, partition, tenant, job, class, head, input, key, at_ms)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict do nothing`,
);
