import { compareRunIds, formatRunId, type RunId } from '@signalbox/engine';
import type { RunRow, StoredRun } from '../contract/runs.ts';
import { damaged } from '../damage/damaged-rows.ts';
import { storedRunBytes, withinBytes } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { requireText, requireTexts } from '../validate-text.ts';
import { copyEnd, copyRun } from './copy.ts';
import { setAside } from './damaged-rows.ts';
import type { MemoryState, RunEntry } from './state.ts';

/** I19: the tenant is part of the look-up, so a run of another tenant is not found. */
export function findRun(
  state: MemoryState,
  at: { tenant: string; id: RunId },
): RunEntry | undefined {
  return state.runs.get(at.tenant)?.find((entry) => compareRunIds(entry.id, at.id));
}

export function getRun(state: MemoryState, query: { tenant: string; id: RunId }): StoredRun | null {
  requireText('tenant', query.tenant);
  const entry = findRun(state, query);
  if (entry !== undefined && entry.run === null && entry.end !== null) {
    const { tenant, id } = query;
    const place = { kind: 'run', key: formatRunId(id), partition: id.partition, tenant } as const;
    const error = 'the row is missing, and its end is there';
    setAside(state, { ...place, error, bytes: new Uint8Array(0) });
    throw damaged(place);
  }
  const stored = entry === undefined ? null : storedRun(entry);
  const aside = state.damagedRows.get(`run\0${formatRunId(query.id)}`);
  if (stored === null && aside?.tenant === query.tenant) throw damaged(aside);
  return stored;
}

export function readRuns(state: MemoryState, query: Parameters<Store['readRuns']>[0]): RunRow[] {
  const rows: RunRow[] = [];
  for (const at of query.ids) {
    requireText('tenant', at.tenant);
    const run = findRun(state, at)?.run;
    if (run) rows.push(copyRun(run, query.withInput));
  }
  return rows;
}

export function listRuns(state: MemoryState, query: Parameters<Store['listRuns']>[0]): StoredRun[] {
  requireTexts({ tenant: query.tenant, job: query.job });
  return withinBytes(newestFirst(state, query), query.bytes, storedRunBytes);
}

function* newestFirst(
  state: MemoryState,
  query: Parameters<Store['listRuns']>[0],
): Generator<StoredRun> {
  const { tenant, before, from, limit, job, ended, withPayloads = true } = query;
  const list = state.runs.get(tenant);
  if (list === undefined) return;
  const end =
    before === null ? list.items.length : list.position((entry) => compareRunIds(entry.id, before));
  let found = 0;
  for (let i = end - 1; i >= 0 && found < limit; i--) {
    const entry = list.items[i] as RunEntry;
    if (from !== undefined && compareRunIds(entry.id, from) < 0) return;
    if (job !== undefined && entry.run?.job !== job) continue;
    if (ended !== undefined && (entry.end !== null) !== ended) continue;
    const stored = storedRun(entry);
    if (stored === null) continue;
    found++;
    yield withPayloads ? stored : withoutPayloads(stored);
  }
}

function storedRun(entry: RunEntry): StoredRun | null {
  if (entry.run === null) return null;
  return { run: copyRun(entry.run), end: entry.end === null ? null : copyEnd(entry.end) };
}

function withoutPayloads({ run, end }: StoredRun): StoredRun {
  return { run: { ...run, input: null }, end: end && { ...end, output: null } };
}
