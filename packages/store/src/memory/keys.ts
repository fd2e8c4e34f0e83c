import { compareRunIds } from '@signalbox/engine';
import { compareText } from '../compare-text.ts';
import type { HeldKey } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import { copyId } from './copy.ts';
import type { MemoryState } from './state.ts';

export function readKeys(
  state: MemoryState,
  keys: readonly { tenant: string; key: string }[],
): HeldKey[] {
  const found: HeldKey[] = [];
  for (const { tenant, key } of keys) {
    requireTexts({ tenant, key });
    const held = state.keys.get(`${tenant}\0${key}`);
    if (held !== undefined) found.push({ tenant, key, run: copyId(held.run) });
  }
  return found;
}

/** Oldest runs first, so that a limited pass makes progress in time. */
export function forgetKeys(state: MemoryState, query: { beforeMs: number; limit: number }): number {
  const old = [...state.keys.values()]
    .filter((held) => held.run.ms < query.beforeMs)
    .sort(
      (a, b) =>
        compareRunIds(a.run, b.run) || compareText(a.tenant, b.tenant) || compareText(a.key, b.key),
    )
    .slice(0, query.limit);
  for (const { tenant, key } of old) state.keys.delete(`${tenant}\0${key}`);
  return old.length;
}
