import { compareRunIds } from '@signalbox/engine';
import { compareText } from '../compare-text.ts';
import type { HeldKey } from '../contract/keys.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import { copyId } from './copy.ts';
import { findRun } from './runs.ts';
import type { MemoryState } from './state.ts';

export function readKeys(
  state: MemoryState,
  keys: readonly { tenant: string; key: string }[],
): HeldKey[] {
  const found: HeldKey[] = [];
  for (const { tenant, key } of keys) {
    requireTexts({ tenant, key });
    const held = state.keys.get(`${tenant}\0${key}`);
    if (held !== undefined && held.entry === null)
      found.push({ tenant, key, run: copyId(held.run) });
  }
  return found;
}

/** Oldest runs first, so that a limited pass makes progress in time. */
export function forgetKeys(
  state: MemoryState,
  query: Parameters<Store['forgetKeys']>[0],
): { forgotten: number; last: HeldKey | null } {
  const { beforeMs, after, limit } = query;
  if (after !== null) requireTexts({ tenant: after.tenant, key: after.key });
  const seen = [...state.keys.values()]
    .filter((held) => held.run.ms < beforeMs && (after === null || compareHeld(held, after) > 0))
    .sort(compareHeld)
    .slice(0, limit);
  const old = seen.filter(
    (held) => held.entry === null && (held.atMs ?? 0) < beforeMs && !isLive(state, held),
  );
  for (const { tenant, key } of old) state.keys.delete(`${tenant}\0${key}`);
  const last = seen.length < limit ? undefined : seen.at(-1);
  return {
    forgotten: old.length,
    last: last === undefined ? null : { tenant: last.tenant, key: last.key, run: copyId(last.run) },
  };
}

function isLive(state: MemoryState, { tenant, run }: HeldKey): boolean {
  const entry = findRun(state, { tenant, id: run });
  return entry !== undefined && entry.run !== null && entry.end === null;
}

function compareHeld(a: HeldKey, b: HeldKey): number {
  return (
    compareRunIds(a.run, b.run) || compareText(a.tenant, b.tenant) || compareText(a.key, b.key)
  );
}
