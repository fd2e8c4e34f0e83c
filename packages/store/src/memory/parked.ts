import { compareRunIds } from '@signalbox/engine';
import type { ParkedCursor, ParkedRun } from '../contract/parked.ts';
import type { RunRow } from '../contract/runs.ts';
import { withinBytes } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { requireText } from '../validate-text.ts';
import { copyId, copyRun } from './copy.ts';
import { findRun } from './runs.ts';
import type { MemoryState, RunEntry } from './state.ts';

export function readParked(
  state: MemoryState,
  query: Parameters<Store['readParked']>[0],
): { runs: ParkedRun[]; last: ParkedCursor | null; exhausted: boolean } {
  const { partition, lane, after, upTo, limit, bytes } = query;
  requireText('lane', lane);
  const runs: ParkedRun[] = [];
  const rows = state.lanes.get(`${partition}\0${lane}`)?.rows;
  if (rows === undefined) return { runs, last: null, exhausted: true };
  const start =
    after === null
      ? 0
      : rows.position(
          (row) => row.sort - after.sort || (compareRunIds(row.id, after.id) <= 0 ? -1 : 1),
        );
  const end = rows.position((row) => (row.sort <= upTo ? -1 : 1));
  // The limit counts rows read, not rows returned: a lane full of ended runs is read in bounded steps.
  const rest = rows.items.slice(start, Math.max(start, Math.min(end, start + limit)));
  const isOpen = (entry: RunEntry | undefined): boolean => entry?.run != null && entry.end === null;
  const page = withinBytes(rest, bytes === 0 ? undefined : bytes, (row) => {
    const entry = findRun(state, row);
    return isOpen(entry) ? (entry?.run?.input?.length ?? 0) : 0;
  });
  for (const row of page) {
    const entry = findRun(state, row);
    if (!isOpen(entry)) continue;
    runs.push({ sort: row.sort, run: copyRun(entry?.run as RunRow, bytes !== 0) });
  }
  const last = page.at(-1);
  return {
    runs,
    last: last === undefined ? null : { sort: last.sort, id: copyId(last.id) },
    exhausted: start + page.length >= end,
  };
}
