import type { Group, GroupHead } from '../../store.ts';

export interface GroupColumns {
  readonly partition: number;
  readonly seq: number;
  readonly epoch: number;
  readonly commit_id: string;
  readonly at_ms: number;
  readonly fact_count: number;
}

export function toGroupHead(row: GroupColumns): GroupHead {
  const { partition, seq, epoch, commit_id: commitId, at_ms: atMs, fact_count: factCount } = row;
  return { partition, seq, epoch, commitId, atMs, factCount };
}

export function toGroup(row: GroupColumns & { readonly body: Uint8Array }): Group {
  return { ...toGroupHead(row), body: row.body };
}
