import { compareText } from '../compare-text.ts';
import { inboxEntryBytes, withinBytes } from '../page-bytes.ts';
import type { InboxEntry, Store } from '../store.ts';
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
export function readInbox({ db }: Context, query: Parameters<Store['readInbox']>[0]): InboxEntry[] {
  const { limit, bytes } = query;
  const entries = db.read(() =>
    [...new Set(query.partitions)].flatMap((partition) => readFirst(db, partition, query)),
  );
  entries.sort((a, b) => a.atMs - b.atMs || compareText(a.id, b.id));
  return [...withinBytes(entries.slice(0, limit), bytes, inboxEntryBytes)];
}

/** Of one partition no more than a page that has only its entries may hold. */
function readFirst(
  db: Database,
  partition: number,
  { limit, bytes = Number.POSITIVE_INFINITY }: { limit: number; bytes?: number },
): InboxEntry[] {
  const entries: InboxEntry[] = [];
  let read = 0;
  for (const row of db.each(READ_INBOX, partition, limit)) {
    const entry = toInboxEntry(row);
    entries.push(entry);
    read += inboxEntryBytes(entry);
    if (read >= bytes) break;
  }
  return entries;
}
