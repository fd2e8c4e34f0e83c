import { compareRunIds, type RunId } from '@signalbox/engine';
import type { ValueWriter } from '../wire/value-writer.ts';
import { follows, PACK_COUNT_MAX, type Pack } from './cut-packs.ts';

/** Ids of one tenant, from `low` to `high`, in one millisecond of one partition: one look into a key. */
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
 * Looks that find all of these ids, which are in order. What lies between two of them is not looked at:
 * it may be large. Two that share a pack without being next to each other find it twice.
 */
export function spansOf(ids: readonly TenantId[]): Span[] {
  return joined(ids.map(({ tenant, id }) => ({ tenant, low: id, high: id })));
}

/** The ids of packs in order; those of one request follow each other and are one span. */
export function spansOfPacks(packs: readonly Pack<TenantId>[]): Span[] {
  return joined(
    packs.map(({ rows, from, to }) => {
      const { tenant, id: low } = rows[from] as TenantId;
      return { tenant, low, high: (rows[to - 1] as TenantId).id };
    }),
  );
}

/** Where one span follows the other they are one. */
function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans) {
    const last = all.at(-1);
    if (last !== undefined && last.tenant === span.tenant && follows(last.high, span.low)) {
      all[all.length - 1] = { ...last, high: span.high };
    } else {
      all.push(span);
    }
  }
  return all;
}

/** Of what was found by spans that which was wanted, each once; both are in order. */
export function pickWanted<Found extends TenantId>(
  found: readonly Found[],
  wanted: readonly TenantId[],
): Found[] {
  const picked: Found[] = [];
  let at = 0;
  for (const one of found) {
    while (at < wanted.length && compareTenantIds(wanted[at] as TenantId, one) < 0) at++;
    if (at === wanted.length) break;
    if (compareTenantIds(wanted[at] as TenantId, one) > 0) continue;
    const before = picked.at(-1);
    if (before === undefined || compareTenantIds(before, one) !== 0) picked.push(one);
  }
  return picked;
}

/**
 * The smallest id that a pack with this one in it can begin with: the border of a look backwards. It
 * must be near, because the server compares all entries between the two that share a page.
 */
export function floorOf({ ms, partition, seq }: RunId): RunId {
  return { ms, partition, seq: Math.max(0, seq - PACK_COUNT_MAX + 1) };
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

/** Below and above all that is looked at, see `sql/spans.ts`. */
export function bindBounds(w: ValueWriter, lows: readonly RunId[], highs: readonly RunId[]): void {
  const least = lows.reduce((a, b) => (compareRunIds(a, b) <= 0 ? a : b));
  w.uuid(floorOf(least));
  w.uuid(highs.reduce((a, b) => (compareRunIds(a, b) >= 0 ? a : b)));
}
