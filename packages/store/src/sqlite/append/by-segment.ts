import type { RunId } from '@signalbox/engine';
import type { SegmentCatalog } from '../segment-catalog.ts';

/**
 * Calls back for each stretch of rows in the same segment. Mostly these are all rows, because
 * runs that are committed together were submitted at about the same time.
 */
export function bySegment<T extends { readonly id: RunId }>(
  catalog: SegmentCatalog,
  rows: readonly T[],
  write: (segment: number, rows: readonly T[]) => void,
): void {
  let start = 0;
  while (start < rows.length) {
    const segment = catalog.requireWritable((rows[start] as T).id);
    let end = start + 1;
    while (end < rows.length && catalog.numberOf((rows[end] as T).id.ms) === segment) end++;
    write(segment, start === 0 && end === rows.length ? rows : rows.slice(start, end));
    start = end;
  }
}
