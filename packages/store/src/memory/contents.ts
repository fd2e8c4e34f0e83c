import type { StoreContents } from '../snapshot.ts';
import { listLeases, liveNodes } from './leases.ts';
import { listSegments } from './segments.ts';
import type { MemoryState } from './state.ts';

export function contents(state: MemoryState): StoreContents {
  const entries = [...state.runs.values()].flatMap((list) => list.items);
  return {
    groups: [...state.groups.values()].flatMap((list) => list.items),
    checkpoints: [...state.checkpoints.values()],
    leases: listLeases(state),
    nodes: liveNodes(state),
    runs: entries.flatMap((entry) => entry.run ?? []),
    ends: entries.flatMap((entry) => entry.end ?? []),
    parked: [...state.lanes.values()].flatMap(({ partition, lane, rows }) =>
      rows.items.map((row) => ({ partition, lane, ...row })),
    ),
    keys: [...state.keys.values()].flatMap(({ tenant, key, run, entry }) =>
      entry === null ? [{ tenant, key, run }] : [],
    ),
    reserved: [...state.keys.values()].flatMap(({ tenant, key, entry }) =>
      entry === null ? [] : [{ tenant, key, entry }],
    ),
    inbox: [...state.inbox.values()],
    definitions: [...state.definitions.values()].flatMap((histories) =>
      histories.items.flatMap(({ versions }) => versions),
    ),
    logs: [...state.logs.values()].flatMap(({ lines }) => lines.items),
    audit: [...state.audit.values()].flat(),
    segments: listSegments(state),
  };
}
