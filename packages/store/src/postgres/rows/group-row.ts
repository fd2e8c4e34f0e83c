import type { Group, GroupHead } from '../../contract/journal.ts';
import { type DamagedRows, verify } from '../../damage/damaged-rows.ts';
import { groupChecksum } from '../../damage/row-checksums.ts';

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

export interface WholeGroupColumns extends GroupColumns {
  readonly body: Uint8Array;
  readonly checksum: number | null;
}

/** Throws if the row does not match its checksum. */
export function toGroup(row: WholeGroupColumns): Group {
  const group = { ...toGroupHead(row), body: row.body };
  verify(row.checksum, () => groupChecksum(group));
  return group;
}

/** `damaged` if the group cannot be read: facts are never skipped. */
export function readGroupRow(damage: DamagedRows, row: WholeGroupColumns): Group {
  const { partition, seq } = row;
  const place = { kind: 'group', key: `${partition}/${seq}`, partition, tenant: null } as const;
  return damage.require(place, row, () => toGroup(row));
}
