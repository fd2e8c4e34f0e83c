import type { Class } from '@signalbox/engine';
import type { InboxEntry, PutResult } from '../contract/inbox.ts';
import { damaged, verify } from '../damage/damaged-rows.ts';
import { inboxChecksum } from '../damage/row-checksums.ts';
import { StoreError } from '../errors.ts';
import { ANY_BYTES } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { requireReadable, waitingEntry } from '../taken-keys.ts';
import { requireTexts } from '../validate-text.ts';
import { bindEntry } from './append/bind-rows.ts';
import { step } from './connection/step.ts';
import { writeDamagedRows } from './damaged-rows.ts';
import type { Database } from './database.ts';
import { readStoredKeys } from './keys.ts';
import { readDamagedEntry } from './sql/damaged-rows/read-damaged-entry.ts';
import { insertInbox } from './sql/inbox/insert-inbox.ts';
import { readInbox as readInboxSql } from './sql/inbox/read-inbox.ts';
import { readInboxEntry as readInboxEntrySql } from './sql/inbox/read-inbox-entry.ts';

export interface InboxColumns {
  readonly id: string;
  readonly partition: number;
  readonly kind: InboxEntry['kind'];
  readonly tenant: string;
  readonly job: string;
  readonly priority: number;
  readonly head: string;
  readonly input: Uint8Array | null;
  readonly key: string | null;
  readonly at_ms: number;
  readonly checksum: number | null;
}

/** The conflicting row may be removed between the statement and the read. */
const ATTEMPTS_MAX = 8;

export async function putInbox(database: Database, entry: InboxEntry): Promise<PutResult> {
  const { id, tenant, job, head, key } = entry;
  requireTexts({ id, tenant, job, head, key });
  const put = step(insertInbox(database.schema), 13, (writer) => bindEntry(writer, entry));
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const rows = await database.query(put, 'repeatable');
    if (rows.length > 0) return { kind: 'put' };
    const stored = key === null ? [] : await readStoredKeys(database, [{ tenant, key }]);
    const [held] = stored.map(requireReadable);
    if (held !== undefined && held.entry === null) return { kind: 'run', run: held.run };
    const [waiting] = await readById(database, held?.entry ?? id);
    if (waiting !== undefined) return waitingEntry(tenant, waiting);
  }
  throw new StoreError(
    'conflict',
    `the submission could not be stored in ${ATTEMPTS_MAX} attempts`,
  );
}

export async function readInboxEntry(
  database: Database,
  { tenant, id }: { tenant: string; id: string },
): Promise<InboxEntry | null> {
  requireTexts({ tenant, id });
  const [entry] = await readById(database, id);
  if (entry !== undefined) return entry.tenant === tenant ? entry : null;
  const read = step(readDamagedEntry(database.schema), 1, (writer) => writer.text(id));
  // The tenant of a damaged row cannot be relied on, and the error contains nothing of the entry.
  if ((await database.read(read)).length === 0) return null;
  throw damaged({ kind: 'inbox', key: id, partition: null, tenant });
}

async function readById(database: Database, id: string): Promise<InboxEntry[]> {
  const read = step(readInboxEntrySql(database.schema), 1, (writer) => writer.text(id));
  const rows = await database.read<InboxColumns>(read);
  const entries = rows.flatMap((row) => readEntry(database, row) ?? []);
  // A damaged entry is moved before the caller reads again.
  await writeDamagedRows(database);
  return entries;
}

export async function readInbox(
  database: Database,
  query: Parameters<Store['readInbox']>[0],
): Promise<InboxEntry[]> {
  if (query.partitions.length === 0) return [];
  const rows = await database.read<InboxColumns>(
    step(readInboxSql(database.schema), 3, (writer) => {
      writer.int4s(query.partitions);
      writer.int8(query.limit);
      writer.int8(query.bytes ?? ANY_BYTES);
    }),
  );
  return rows.flatMap((row) => readEntry(database, row) ?? []);
}

function readEntry({ damage }: Database, row: InboxColumns): InboxEntry | null {
  const { id: key, partition, tenant } = row;
  return damage.read({ kind: 'inbox', key, partition, tenant }, row, () => toInboxEntry(row));
}

/** Throws if the row does not match its checksum. */
export function toInboxEntry(row: InboxColumns): InboxEntry {
  const { id, partition, kind, tenant, job, head, input, key, at_ms: atMs } = row;
  const priority = row.priority as Class;
  const entry = { id, partition, kind, tenant, job, class: priority, head, input, key, atMs };
  verify(row.checksum, () => inboxChecksum(entry));
  return entry;
}
