import type { InboxEntry } from './store.ts';

/** Where a page has no limit in bytes. */
export const ANY_BYTES = Number.MAX_SAFE_INTEGER;

/**
 * The part of a page that a limit in bytes leaves: up to the item that reaches it. It has one item at
 * least, or a reader would stand still in front of a large one.
 */
export function withinBytes<Item>(
  items: readonly Item[],
  bytesMax: number | undefined,
  bytesOf: (item: Item) => number,
): readonly Item[] {
  if (bytesMax === undefined) return items;
  let bytes = 0;
  for (const [i, item] of items.entries()) {
    bytes += bytesOf(item);
    if (bytes >= bytesMax) return items.slice(0, i + 1);
  }
  return items;
}

/** What an entry weighs in a page. */
export function inboxEntryBytes({ head, input }: Pick<InboxEntry, 'head' | 'input'>): number {
  return head.length + (input?.length ?? 0);
}
