import { compareRunIds, type RunId } from '@signalbox/engine';
import type { ValueWriter } from '../wire/value-writer.ts';
import { BLOCK_COUNT_MAX, isConsecutive, type RowBlock } from './cut-row-blocks.ts';

/** Ids of one tenant, from `low` to `high`, in one millisecond of one partition: one index search. */
export interface Span {
  readonly tenant: string;
  readonly low: RunId;
  readonly high: RunId;
}

export interface TenantId {
  readonly tenant: string;
  readonly id: RunId;
}

/** By tenant, then by id: the order of spans. */
export function compareTenantIds(a: TenantId, b: TenantId): number {
  return a.tenant === b.tenant ? compareRunIds(a.id, b.id) : a.tenant < b.tenant ? -1 : 1;
}

/**
 * Spans that cover these ids, which are sorted. Rows between two ids are not read, because they may be
 * large. Two ids in one row block that are not consecutive find the block twice.
 */
export function spansOf(ids: readonly TenantId[]): Span[] {
  return joined(ids.map(({ tenant, id }) => ({ tenant, low: id, high: id })));
}

/** The ids of row blocks, which are sorted; the blocks of one request are consecutive and form one span. */
export function spansOfBlocks(blocks: readonly RowBlock<TenantId>[]): Span[] {
  return joined(
    blocks.map(({ rows, from, to }) => {
      const { tenant, id: low } = rows[from] as TenantId;
      return { tenant, low, high: (rows[to - 1] as TenantId).id };
    }),
  );
}

/** Joins consecutive spans. */
function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans) {
    const last = all.at(-1);
    if (last !== undefined && last.tenant === span.tenant && isConsecutive(last.high, span.low)) {
      all[all.length - 1] = { ...last, high: span.high };
    } else {
      all.push(span);
    }
  }
  return all;
}

/** The requested rows among the rows that spans found, each once; both lists are sorted. */
export function pickRequested<Found extends TenantId>(
  found: readonly Found[],
  requested: readonly TenantId[],
): Found[] {
  const picked: Found[] = [];
  let at = 0;
  for (const one of found) {
    while (at < requested.length && compareTenantIds(requested[at] as TenantId, one) < 0) at++;
    if (at === requested.length) break;
    if (compareTenantIds(requested[at] as TenantId, one) > 0) continue;
    const before = picked.at(-1);
    if (before === undefined || compareTenantIds(before, one) !== 0) picked.push(one);
  }
  return picked;
}

/**
 * The smallest first id of a row block that contains this id: the lower bound of a backward search. It must
 * be close, because the server compares all index entries between the two that share a page.
 */
export function floorOf({ ms, partition, seq }: RunId): RunId {
  return { ms, partition, seq: Math.max(0, seq - BLOCK_COUNT_MAX + 1) };
}

export const SPAN_PARAMETERS = 6;

export function bindSpans(w: ValueWriter, spans: readonly Span[]): void {
  w.texts(spans.map(({ tenant }) => tenant));
  w.uuids(spans.map(({ low }) => floorOf(low)));
  w.uuids(spans.map(({ low }) => low));
  w.uuids(spans.map(({ high }) => high));
  bindBounds(
    w,
    spans.map(({ low }) => low),
    spans.map(({ high }) => high),
  );
}

/** Lower and upper bound of all spans, see `sql/spans.ts`. */
export function bindBounds(w: ValueWriter, lows: readonly RunId[], highs: readonly RunId[]): void {
  const least = lows.reduce((a, b) => (compareRunIds(a, b) <= 0 ? a : b));
  w.uuid(floorOf(least));
  w.uuid(highs.reduce((a, b) => (compareRunIds(a, b) >= 0 ? a : b)));
}
