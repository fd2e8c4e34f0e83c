import { compareText } from '../compare-text.ts';
import type { InboxEntry, PutResult } from '../contract/inbox.ts';
import { damaged } from '../damage/damaged-rows.ts';
import { inboxChecksum, keyChecksum } from '../damage/row-checksums.ts';
import { inboxEntryBytes, withinBytes } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { requireReadable, reservedRun, waitingEntry } from '../taken-keys.ts';
import { requireTexts } from '../validate-text.ts';
import type { Context } from './context.ts';
import type { Database } from './database.ts';
import { findStoredKeys } from './keys.ts';
import { readEntry } from './read-row.ts';
import { idBytes } from './rows.ts';
import { readDamagedEntry } from './sql/damaged-rows/read-damaged-entry.ts';
import { insertInbox } from './sql/inbox/insert-inbox.ts';
import { readInbox as readInboxSql } from './sql/inbox/read-inbox.ts';
import { readInboxEntry as readInboxEntrySql } from './sql/inbox/read-inbox-entry.ts';
import { reserveKey } from './sql/keys/reserve-key.ts';

export function putInbox(context: Context, entry: InboxEntry): PutResult {
  const { id, tenant, job, head, key } = entry;
  requireTexts({ id, tenant, job, head, key });
  const { db } = context;
  return db.write(
    (): PutResult => {
      const [held] =
        key === null ? [] : findStoredKeys(context, [{ tenant, key }]).map(requireReadable);
      if (held !== undefined && held.entry === null) return { kind: 'run', run: held.run };
      const waiting = db.get(readInboxEntrySql, held?.entry ?? id);
      if (waiting !== undefined) {
        const stored = readEntry(context, waiting);
        if (stored !== null) return waitingEntry(tenant, stored);
        throw damaged({ kind: 'inbox', key: id, partition: entry.partition, tenant });
      }
      insertEntry(db, entry);
      return { kind: 'put' };
    },
    ({ kind }) => kind === 'put',
  );
}

/** Inside a transaction, with validated texts. Does nothing if the key is taken. */
export function insertEntry(db: Database, entry: InboxEntry): void {
  const { id, partition, kind, tenant, job, head, input, key, atMs } = entry;
  if (key !== null && db.get(readInboxEntrySql, id) !== undefined) return;
  if (key !== null) {
    const run = reservedRun(entry);
    const checksum = keyChecksum({ tenant, key, run, entry: id, atMs: null });
    if (db.run(reserveKey, tenant, key, idBytes(run), id, checksum) === 0) return;
  }
  const checksum = inboxChecksum(entry);
  const place = [id, partition, kind, tenant, job, entry.class] as const;
  db.run(insertInbox, ...place, head, input, key, atMs, checksum);
}

export function readInboxEntry(
  context: Context,
  { tenant, id }: { tenant: string; id: string },
): InboxEntry | null {
  requireTexts({ tenant, id });
  return context.db.read(() => {
    const row = context.db.get(readInboxEntrySql, id);
    const entry = row === undefined ? null : readEntry(context, row);
    const isLost = row === undefined && context.db.get(readDamagedEntry, id) !== undefined;
    // The tenant of a damaged row cannot be relied on, and the error contains nothing of the entry.
    if (isLost || (row !== undefined && entry === null)) {
      throw damaged({ kind: 'inbox', key: id, partition: null, tenant });
    }
    return entry?.tenant === tenant ? entry : null;
  });
}

/** Reads the first rows of each partition, which are sorted, and merges them. */
export function readInbox(
  context: Context,
  query: Parameters<Store['readInbox']>[0],
): InboxEntry[] {
  const { limit, bytes } = query;
  const entries = context.db.read(() =>
    [...new Set(query.partitions)].flatMap((partition) => readFirst(context, partition, query)),
  );
  entries.sort((a, b) => a.atMs - b.atMs || compareText(a.id, b.id));
  return withinBytes(entries.slice(0, limit), bytes, inboxEntryBytes);
}

/** Entries of one partition, at most as many as a page holds. */
function readFirst(
  context: Context,
  partition: number,
  { limit, bytes = Number.POSITIVE_INFINITY }: { limit: number; bytes?: number },
): InboxEntry[] {
  const entries: InboxEntry[] = [];
  let read = 0;
  for (const row of context.db.each(readInboxSql, partition, limit)) {
    const entry = readEntry(context, row);
    if (entry === null) continue;
    entries.push(entry);
    read += inboxEntryBytes(entry);
    if (read >= bytes) break;
  }
  return entries;
}
