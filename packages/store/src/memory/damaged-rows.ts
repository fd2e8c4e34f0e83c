import { compareText } from '../compare-text.ts';
import type { StoppedPartition } from '../contract/damaged-rows.ts';
import type { DamagedRow, FoundDamage } from '../damage/damaged-rows.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
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

export function forgetDamagedRows(
  state: MemoryState,
  row: Parameters<Store['forgetDamagedRows']>[0],
): number {
  const count = state.damagedRows.size;
  if (row === null) state.damagedRows.clear();
  else {
    requireTexts({ kind: row.kind, key: row.key });
    state.damagedRows.delete(`${row.kind}\0${row.key}`);
  }
  return count - state.damagedRows.size;
}

export function setStopped(
  state: MemoryState,
  { partition, error }: Parameters<Store['setStopped']>[0],
): void {
  requireTexts({ error });
  if (error === null) state.stopped.delete(partition);
  else if (!state.stopped.has(partition)) {
    state.stopped.set(partition, { partition, error, atMs: state.now() });
  }
}

export function listStopped({ stopped }: MemoryState): StoppedPartition[] {
  return [...stopped.values()].sort((a, b) => a.partition - b.partition);
}
