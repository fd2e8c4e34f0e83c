import { compareText } from '../compare-text.ts';
import type { DamagedRow, FoundDamage } from '../damage/damaged-rows.ts';
import type { Store } from '../store.ts';
import type { MemoryState } from './state.ts';

export function setAside(state: MemoryState, row: FoundDamage): void {
  const name = `${row.kind}\0${row.key}`;
  if (state.damagedRows.has(name)) return;
  state.damagedRows.set(name, { ...row, atMs: state.now() });
  state.damagedListener(row);
}

export function listDamagedRows(
  state: MemoryState,
  { after, limit }: Parameters<Store['listDamagedRows']>[0],
): DamagedRow[] {
  return [...state.damagedRows.values()]
    .sort(compare)
    .filter((row) => after === null || compare(row, after) > 0)
    .slice(0, limit);
}

function compare(a: { kind: string; key: string }, b: { kind: string; key: string }): number {
  return compareText(a.kind, b.kind) || compareText(a.key, b.key);
}
