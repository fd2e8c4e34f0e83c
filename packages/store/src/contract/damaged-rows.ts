import type { DamagedRow, FoundDamage } from '../damage/damaged-rows.ts';

/** Rows that do not match their checksum or cannot be decoded, and partitions that cannot be read. */
export interface DamagedRowStore {
  /**
   * Damaged rows in order of (kind, key) after the cursor, at most `limit`. The first call that reads a
   * damaged row copies it here with its bytes. The row itself stays where it is, except an inbox entry,
   * which is moved here.
   */
  listDamagedRows(query: {
    after: { kind: string; key: string } | null;
    limit: number;
  }): Promise<DamagedRow[]>;
  /** Records a row that is missing, or whose damage only the caller can detect; idempotent. */
  setAside(row: FoundDamage): Promise<void>;
  /**
   * Removes the copy of one damaged row, or all copies, and returns how many there were. A row that is still
   * damaged is listed again when it is next read; an inbox entry is lost with its copy.
   */
  forgetDamagedRows(row: { readonly kind: string; readonly key: string } | null): Promise<number>;
  /** Records for every node that no node can read the partition, or with null that a node has read it. */
  setStopped(params: { readonly partition: number; readonly error: string | null }): Promise<void>;
  /** In order of partition. */
  listStopped(): Promise<StoppedPartition[]>;
  /** `listener` is called once for each damaged row that this process finds. One listener per store. */
  onDamaged(listener: (row: FoundDamage) => void): void;
}

/** A partition whose facts could not be read when it was last taken over. */
export interface StoppedPartition {
  readonly partition: number;
  readonly error: string;
  /** Since when, by the store's clock. */
  readonly atMs: number;
}
