import { inboxEntryBytes, withinBytes } from '../page-bytes.ts';
import type { InboxEntry, Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import { copyInboxEntry } from './copy.ts';
import { compareInbox, inboxOf, type MemoryState } from './state.ts';

export function putInbox(state: MemoryState, entry: InboxEntry): void {
  const { id, tenant, job, head, key } = entry;
  requireTexts({ id, tenant, job, head, key });
  if (state.inbox.has(id)) return;
  const kept = copyInboxEntry(entry);
  state.inbox.set(id, kept);
  inboxOf(state, kept.partition).insert(kept);
}

export function readInbox(
  state: MemoryState,
  query: Parameters<Store['readInbox']>[0],
): InboxEntry[] {
  const page = [...new Set(query.partitions)]
    .flatMap((partition) => inboxOf(state, partition).items.slice(0, query.limit))
    .sort(compareInbox)
    .slice(0, query.limit);
  return withinBytes(page, query.bytes, inboxEntryBytes).map(copyInboxEntry);
}

export function forgetInboxEntry(state: MemoryState, id: string): void {
  const entry = state.inbox.get(id);
  if (entry === undefined) return;
  state.inbox.delete(id);
  const list = inboxOf(state, entry.partition);
  list.items.splice(
    list.position((item) => compareInbox(item, entry)),
    1,
  );
}
