import type { AuditRow } from './audit-chain.ts';
import type { InboxEntry } from './contract/inbox.ts';
import type { StoredRun } from './contract/runs.ts';
import type { Definition } from './definition.ts';
import type { LogLineRow } from './log-lines.ts';

/** Where a page has no limit in bytes. */
export const ANY_BYTES = Number.MAX_SAFE_INTEGER;

/** The default limit of a page in bytes. */
export const PAGE_BYTES = 16_777_216;

/**
 * The items of a page up to the item that reaches the limit in bytes; at least one item, or a reader would
 * never pass a large one. Later items are not read.
 */
export function withinBytes<Item>(
  items: Iterable<Item>,
  bytesMax: number | undefined,
  bytesOf: (item: Item) => number,
): Item[] {
  if (bytesMax === undefined) return [...items];
  const page: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    page.push(item);
    bytes += bytesOf(item);
    if (bytes >= bytesMax) break;
  }
  return page;
}

/**
 * Whether items may follow a page: it reaches its limit in number or in bytes. `bytesOf` is the size by which
 * the stores limit this kind of page.
 */
export function mayContinue<Item>(
  page: readonly Item[],
  { limit, bytes }: { readonly limit: number; readonly bytes: number },
  bytesOf: (item: Item) => number,
): boolean {
  return page.length >= limit || page.reduce((sum, item) => sum + bytesOf(item), 0) >= bytes;
}

/** The size of an entry in a page. */
export function inboxEntryBytes({ head, input }: Pick<InboxEntry, 'head' | 'input'>): number {
  return textBytes(head) + (input?.length ?? 0);
}

/** The size of a run in a page, without omitted payloads. */
export function storedRunBytes({ run, end }: StoredRun): number {
  const bytes = textBytes(run.head) + (run.input?.length ?? 0);
  return end === null ? bytes : bytes + textBytes(end.detail) + (end.output?.length ?? 0);
}

/** The size of a version of a definition in a page. */
export function definitionBytes({ body }: Definition): number {
  return textBytes(body);
}

/** The size of a line in a page. */
export function logLineBytes({ text }: LogLineRow): number {
  return textBytes(text);
}

/** The size of an entry of the audit log in a page. */
export function auditRowBytes({ target, before, after, reason }: AuditRow): number {
  return textBytes(target) + textBytes(before ?? '') + textBytes(after ?? '') + textBytes(reason);
}

/** As PostgreSQL counts (`octet_length`): all stores have to end a page at the same row. */
function textBytes(text: string): number {
  return Buffer.byteLength(text);
}
