import type { AcquireResult, BeatResult, Lease } from '../lease.ts';

/*
 * Ownership of partitions, and the registry of nodes.
 *
 *              acquireLease (epoch + 1, fence group)
 *   free ─────────────────────────────────────────────▶ held ──beat──▶ held (new expiry)
 *    ▲                                                   │  │
 *    ├──────────────── releaseLease ─────────────────────┘  │ no beat before the expiry
 *    └──────────────────────── expired ◀────────────────────┘
 *
 * A lease that expired and that no other owner took is renewed by its owner's next beat.
 *
 * Callers: the ownership and lease code of `packages/node/src/loop`.
 *
 * Atomic: `acquireLease` writes the lease and the fence group in one transaction (I7, I9), so an old owner's
 * append either committed before, and the new owner reads it, or never commits. The clock of the store
 * alone decides about expiry.
 *
 * Failures: `acquireLease` is `conflict` if the old owner keeps committing during all attempts. A beat that
 * fails renews nothing; the owner has to stop releasing effects when its lease expires. A lease row that was
 * deleted is created again with the epoch after the last one in the journal.
 */
export interface LeaseStore {
  /**
   * Takes the lease if it is free, has expired by the store's clock, or belongs to this owner. Appends an
   * empty group under the new epoch at the next seq with it: the fence. No append under an older epoch
   * commits after that (I9).
   */
  acquireLease(request: {
    partition: number;
    owner: string;
    ttlMs: number;
    commitId: string;
  }): Promise<AcquireResult>;
  /**
   * Keeps the node in the registry, renews its leases, and lists live nodes. A lease that is not renewed
   * here is lost, whatever the reason; a renewal never revives a lease that another owner has taken, but
   * may revive one that expired and that nobody took.
   */
  beat(request: {
    node: string;
    address: string;
    ttlMs: number;
    leases: readonly { partition: number; epoch: number }[];
  }): Promise<BeatResult>;
  /** Lets a lease expire now, if it still belongs to this owner and epoch. The epoch stays. */
  releaseLease(lease: { partition: number; owner: string; epoch: number }): Promise<void>;
  /** Removes the node from the registry. */
  forgetNode(node: string): Promise<void>;
  listLeases(): Promise<Lease[]>;
}
