import { compareRunIds, firstIdOf, formatRunId, type RunId } from '@signalbox/engine';
import { StoreError } from '../errors.ts';
import type { Segment } from '../run-segment.ts';
import { segmentFromMs, segmentsToCreate } from '../run-segment.ts';
import type { MemoryState } from './state.ts';

export function ensureSegments(state: MemoryState, query: { untilMs: number }): void {
  const { segmentMs } = state;
  for (const fromMs of segmentsToCreate({ nowMs: state.now(), segmentMs, ...query })) {
    if (state.segments.has(fromMs) || state.droppedSegments.has(fromMs)) continue;
    state.segments.set(fromMs, { fromMs, toMs: fromMs + segmentMs, sealed: false });
  }
}

export function listSegments(state: MemoryState): Segment[] {
  return [...state.segments.values()]
    .map((segment) => ({ ...segment }))
    .sort((a, b) => a.fromMs - b.fromMs);
}

export function lastUsedSegment(state: MemoryState): Segment | null {
  const used = listSegments(state).findLast((segment) => {
    const { from, to } = idRange(segment);
    for (const runs of state.runs.values()) {
      const end = runs.position(to);
      for (let i = runs.position(from); i < end; i++) if (runs.items[i]?.run) return true;
    }
    return false;
  });
  return used ?? null;
}

export function isOpen(state: MemoryState, id: RunId): boolean {
  return state.segments.get(segmentFromMs(id.ms, state.segmentMs))?.sealed === false;
}

export function requireWritable(state: MemoryState, id: RunId): void {
  const fromMs = segmentFromMs(id.ms, state.segmentMs);
  const segment = state.segments.get(fromMs);
  if (segment !== undefined && !segment.sealed) return;
  if (segment !== undefined || state.droppedSegments.has(fromMs)) {
    throw new StoreError('invalid', `the segment of run ${formatRunId(id)} is sealed`);
  }
  // Segments are created ahead to keep this out of commits; a missing one must not refuse a commit.
  state.segments.set(fromMs, { fromMs, toMs: fromMs + state.segmentMs, sealed: false });
}

export function sealSegment(
  state: MemoryState,
  fromMs: number,
): { sealed: boolean; openRuns: number } {
  if (state.droppedSegments.has(fromMs)) return { sealed: true, openRuns: 0 };
  const segment = requireSegment(state, fromMs);
  if (segment.sealed) return { sealed: true, openRuns: 0 };
  const openRuns = countOpenRuns(state, segment);
  const sealed = openRuns === 0 && segment.toMs <= state.now();
  if (sealed) state.segments.set(fromMs, { ...segment, sealed, sealedAtMs: state.now() });
  return { sealed, openRuns };
}

export function dropSegment(state: MemoryState, fromMs: number): void {
  if (state.droppedSegments.has(fromMs)) return;
  const segment = requireSegment(state, fromMs);
  if (!segment.sealed) throw new StoreError('invalid', `segment ${fromMs} is not sealed`);
  const { from, to } = idRange(segment);
  for (const runs of state.runs.values()) runs.removeRange(from, to);
  for (const [name, { rows }] of state.lanes) {
    rows.keep((row) => from(row) < 0 || to(row) >= 0);
    if (rows.items.length === 0) state.lanes.delete(name);
  }
  for (const [name, log] of state.logs) {
    if (from(log) >= 0 && to(log) < 0) state.logs.delete(name);
  }
  state.segments.delete(fromMs);
  state.droppedSegments.add(fromMs);
}

function requireSegment(state: MemoryState, fromMs: number): Segment {
  const segment = state.segments.get(fromMs);
  if (segment === undefined) throw new StoreError('invalid', `segment ${fromMs} does not exist`);
  return segment;
}

function countOpenRuns(state: MemoryState, segment: Segment): number {
  const { from, to } = idRange(segment);
  let count = 0;
  for (const runs of state.runs.values()) {
    const end = runs.position(to);
    for (let i = runs.position(from); i < end; i++) {
      const entry = runs.items[i];
      if (entry?.run && entry.end === null) count++;
    }
  }
  return count;
}

function idRange(segment: Segment) {
  const first = firstIdOf(segment.fromMs);
  const next = firstIdOf(segment.toMs);
  return {
    from: (row: { id: RunId }) => compareRunIds(row.id, first),
    to: (row: { id: RunId }) => compareRunIds(row.id, next),
  };
}
