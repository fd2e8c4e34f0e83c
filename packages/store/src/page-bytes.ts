import type { AuditRow } from './audit-chain.ts';
import type { Definition } from './definition.ts';
import type { LogLineRow } from './log-lines.ts';
import type { InboxEntry, StoredRun } from './store.ts';

/** Where a page has no limit in bytes. */
export const ANY_BYTES = Number.MAX_SAFE_INTEGER;

/** What a page of rows may weigh where its reader has no reason for another limit. */
export const PAGE_BYTES = 16_777_216;

/**
 * The part of a page that a limit in bytes leaves: up to the item that reaches it. It has one item at
 * least, or a reader would stand still in front of a large one. Items behind it are not looked at.
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
 * Whether items may follow a page: it has as many as it may have, in number or in bytes. `bytesOf` is the
 * weight that the stores cut this kind of page by.
 */
export function mayContinue<Item>(
  page: readonly Item[],
  { limit, bytes }: { readonly limit: number; readonly bytes: number },
  bytesOf: (item: Item) => number,
): boolean {
  return page.length >= limit || page.reduce((sum, item) => sum + bytesOf(item), 0) >= bytes;
}

/** What an entry weighs in a page. */
export function inboxEntryBytes({ head, input }: Pick<InboxEntry, 'head' | 'input'>): number {
  return textBytes(head) + (input?.length ?? 0);
}

/** What a run weighs in a page, without what was left out of it. */
export function storedRunBytes({ run, end }: StoredRun): number {
  const bytes = textBytes(run.head) + (run.input?.length ?? 0);
  return end === null ? bytes : bytes + textBytes(end.detail) + (end.output?.length ?? 0);
}

/** What a version of a definition weighs in a page. */
export function definitionBytes({ body }: Definition): number {
  return textBytes(body);
}

/** What a line weighs in a page. */
export function logLineBytes({ text }: LogLineRow): number {
  return textBytes(text);
}

/** What an entry of the audit log weighs in a page. */
export function auditRowBytes({ target, before, after, reason }: AuditRow): number {
  return textBytes(target) + textBytes(before ?? '') + textBytes(after ?? '') + textBytes(reason);
}

/** As PostgreSQL counts (`octet_length`): all stores have to cut a page at the same row. */
function textBytes(text: string): number {
  return Buffer.byteLength(text);
}
