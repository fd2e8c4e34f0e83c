import type { InboxEntry, PutResult } from '../contract/inbox.ts';
import { damaged } from '../damage/damaged-rows.ts';
import { inboxEntryBytes, withinBytes } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { nameOf, reservedRun, waitingEntry } from '../taken-keys.ts';
import { requireTexts } from '../validate-text.ts';
import { copyId, copyInboxEntry } from './copy.ts';
import { compareInbox, inboxOf, type MemoryState } from './state.ts';

export function putInbox(state: MemoryState, entry: InboxEntry): PutResult {
  const { id, tenant, job, head, key } = entry;
  requireTexts({ id, tenant, job, head, key });
  const held = key === null ? undefined : state.keys.get(nameOf({ tenant, key }));
  if (held !== undefined && held.entry === null) return { kind: 'run', run: copyId(held.run) };
  const waiting = state.inbox.get(held?.entry ?? id);
  if (waiting !== undefined) return waitingEntry(tenant, copyInboxEntry(waiting));
  const kept = copyInboxEntry(entry);
  state.inbox.set(id, kept);
  inboxOf(state, kept.partition).insert(kept);
  if (key !== null) {
    const run = reservedRun(entry);
    state.keys.set(nameOf({ tenant, key }), { tenant, key, run, entry: id, atMs: null });
  }
  return { kind: 'put' };
}

export function readInboxEntry(
  state: MemoryState,
  { tenant, id }: { tenant: string; id: string },
): InboxEntry | null {
  requireTexts({ tenant, id });
  const entry = state.inbox.get(id);
  if (entry === undefined && state.damagedRows.has(`inbox\0${id}`)) {
    throw damaged({ kind: 'inbox', key: id, partition: null, tenant });
  }
  return entry === undefined || entry.tenant !== tenant ? null : copyInboxEntry(entry);
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
  const { tenant, key } = entry;
  const name = key === null ? null : nameOf({ tenant, key });
  if (name !== null && state.keys.get(name)?.entry === id) state.keys.delete(name);
  const list = inboxOf(state, entry.partition);
  list.items.splice(
    list.position((item) => compareInbox(item, entry)),
    1,
  );
}
