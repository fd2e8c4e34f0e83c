import type { Class } from '@signalbox/engine';
import { ANY_BYTES } from '../page-bytes.ts';
import type { InboxEntry, Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import { bindEntry } from './append/bind-rows.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { insertInbox } from './sql/insert-inbox.ts';
import { readInbox as readInboxSql } from './sql/read-inbox.ts';

export interface InboxColumns {
  readonly id: string;
  readonly partition: number;
  readonly tenant: string;
  readonly job: string;
  readonly class: number;
  readonly head: string;
  readonly input: Uint8Array | null;
  readonly key: string | null;
  readonly at_ms: number;
}

export async function putInbox(database: Database, entry: InboxEntry): Promise<void> {
  const { id, tenant, job, head, key } = entry;
  requireTexts({ id, tenant, job, head, key });
  const put = step(insertInbox(database.schema), 9, (writer) => bindEntry(writer, entry));
  await database.query(put, 'repeatable');
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
  return rows.map(toInboxEntry);
}

export function toInboxEntry(row: InboxColumns): InboxEntry {
  const { id, partition, tenant, job, head, input, key, at_ms: atMs } = row;
  return { id, partition, tenant, job, class: row.class as Class, head, input, key, atMs };
}
