import { compareText } from '../compare-text.ts';
import type { InboxEntry } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import type { Context } from './context.ts';
import type { Database } from './database.ts';
import { toInboxEntry } from './rows.ts';
import { INSERT_INBOX } from './sql/insert-inbox.ts';
import { READ_INBOX } from './sql/read-inbox.ts';

export function putInbox({ db }: Context, entry: InboxEntry): void {
  const { id, tenant, job, head, key } = entry;
  requireTexts({ id, tenant, job, head, key });
  db.write(() => insertEntry(db, entry));
}

/** Inside a transaction, and of texts that have been looked at. */
export function insertEntry(db: Database, entry: InboxEntry): number {
  const { id, partition, tenant, job, head, input, key, atMs } = entry;
  return db.run(INSERT_INBOX, id, partition, tenant, job, entry.class, head, input, key, atMs);
}

/** The beginning of each partition is in order already: only those rows are read and merged. */
export function readInbox(
  { db }: Context,
  query: { partitions: readonly number[]; limit: number },
): InboxEntry[] {
  const { limit } = query;
  const entries = db.read(() =>
    [...new Set(query.partitions)].flatMap((partition) =>
      db.all(READ_INBOX, partition, limit).map(toInboxEntry),
    ),
  );
  return entries.sort((a, b) => a.atMs - b.atMs || compareText(a.id, b.id)).slice(0, limit);
}
