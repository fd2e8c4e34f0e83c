import type { Checkpoint } from '../contract/checkpoints.ts';
import type { Group, GroupHead } from '../contract/journal.ts';
import { withinBytes } from '../page-bytes.ts';
import type { Store } from '../store.ts';
import { copyCheckpoint, copyGroup, copyGroupHead } from './copy.ts';
import type { MemoryState } from './state.ts';

export function readGroup(
  state: MemoryState,
  at: { partition: number; seq: number },
): GroupHead | null {
  const group = state.groups.get(at.partition)?.find((item) => item.seq - at.seq);
  return group === undefined ? null : copyGroupHead(group);
}

export function readGroups(state: MemoryState, query: Parameters<Store['readGroups']>[0]): Group[] {
  const groups = state.groups.get(query.partition);
  if (groups === undefined) return [];
  const start = groups.position((item) => item.seq - (query.afterSeq + 1));
  const page = groups.items.slice(start, start + query.limit);
  return withinBytes(page, query.bytes, ({ body }) => body.length).map(copyGroup);
}

export function writeCheckpoint(state: MemoryState, checkpoint: Checkpoint): boolean {
  const { partition, epoch, seq } = checkpoint;
  if (state.ownership.get(partition)?.lease.epoch !== epoch) return false;
  const stored = state.checkpoints.get(partition);
  if (stored !== undefined && seq <= stored.seq) return false;
  state.checkpoints.set(partition, copyCheckpoint(checkpoint));
  return true;
}

export function readCheckpoint(state: MemoryState, partition: number): Checkpoint | null {
  const checkpoint = state.checkpoints.get(partition);
  return checkpoint === undefined ? null : copyCheckpoint(checkpoint);
}

/** A group segment is a range of seqs over all partitions; it is dropped whole. */
export function dropGroupsBefore(state: MemoryState, query: { beforeMs: number }): number {
  const all = new Set<number>();
  const kept = new Set<number>();
  for (const [partition, groups] of state.groups) {
    const passedSeq = state.checkpoints.get(partition)?.seq ?? 0;
    for (const group of groups.items) {
      const segment = Math.floor(group.seq / state.groupSegmentSize);
      all.add(segment);
      if (group.seq > passedSeq || group.atMs >= query.beforeMs) kept.add(segment);
    }
  }
  const dropped = [...all].filter((segment) => !kept.has(segment));
  for (const segment of dropped) {
    const firstSeq = segment * state.groupSegmentSize;
    for (const groups of state.groups.values()) {
      groups.removeRange(
        (item) => item.seq - firstSeq,
        (item) => item.seq - (firstSeq + state.groupSegmentSize),
      );
    }
  }
  return dropped.length;
}
