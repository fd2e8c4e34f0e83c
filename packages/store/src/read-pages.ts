import { mayContinue, PAGE_BYTES } from './page-bytes.ts';

export interface PageLimits {
  readonly limit: number;
  readonly bytes: number;
}

interface Reading<Row> {
  /** Maximum number of rows in a page. */
  readonly limit: number;
  /** The size by which the stores limit such a page. */
  bytesOf(row: Row): number;
}

/** A list to its end, page by page; no page is larger in bytes than pages usually are. */
export async function* readPages<Row>(
  reading: Reading<Row> & {
    /** The rows after one, or the first rows. */
    read(after: Row | null, limits: PageLimits): Promise<Row[]>;
  },
): AsyncGenerator<Row[]> {
  const limits = { limit: reading.limit, bytes: PAGE_BYTES };
  for (let after: Row | null = null; ; ) {
    const page: Row[] = await reading.read(after, limits);
    if (page.length > 0) yield page;
    if (!mayContinue(page, limits, reading.bytesOf)) return;
    after = page.at(-1) ?? null;
    // An empty page is the last one.
    if (after === null) return;
  }
}

/**
 * One page for a client. `last` is the row behind which the next page begins, null where there is none:
 * reading one row more than requested shows it, unless the bytes end the page; then the next may be empty.
 */
export async function readOnePage<Row>(
  reading: Reading<Row> & { read(limits: PageLimits): Promise<Row[]> },
): Promise<{ rows: Row[]; last: Row | null }> {
  const limits = { limit: reading.limit + 1, bytes: PAGE_BYTES };
  const found = await reading.read(limits);
  const rows = found.slice(0, reading.limit);
  const hasMore = mayContinue(found, limits, reading.bytesOf);
  return { rows, last: hasMore ? (rows.at(-1) ?? null) : null };
}
