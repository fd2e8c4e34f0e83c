import { groupChecksum } from '../damage/row-checksums.ts';
import type { AcquireResult, Lease } from '../lease.ts';
import { isInForce } from '../lease-length.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import type { Context } from './context.ts';
import { toLease } from './rows.ts';
import { insertGroup } from './sql/groups/insert-group.ts';
import { readLastGroup } from './sql/groups/read-last-group.ts';
import { acquireLease as acquireLeaseSql } from './sql/leases/acquire-lease.ts';
import { listLeases as listLeasesSql } from './sql/leases/list-leases.ts';
import { readLease } from './sql/leases/read-lease.ts';
import { releaseLease as releaseLeaseSql } from './sql/leases/release-lease.ts';

const EMPTY = new Uint8Array(0);

export function acquireLease(
  context: Context,
  request: Parameters<Store['acquireLease']>[0],
): AcquireResult {
  const { db, catalog, now } = context;
  const { partition, owner, ttlMs, commitId } = request;
  requireTexts({ owner, commitId });
  return db.write(() => {
    catalog.refresh();
    // Read inside the transaction: the wait for the lock must not shorten the new lease.
    const nowMs = now();
    const row = db.get(readLease, partition);
    const held = row === undefined ? null : toLease(row);
    if (held !== null && held.owner !== owner && isInForce(held.expiresAtMs, nowMs)) {
      const remainingMs = held.expiresAtMs - nowMs;
      return { kind: 'held', owner: held.owner, epoch: held.epoch, remainingMs };
    }
    const last = held === null ? lastGroup(context, partition) : null;
    // I7: the epoch rises with every acquisition, also when an owner acquires its own lease again.
    const epoch = (held?.epoch ?? last?.epoch ?? 0) + 1;
    const seq = ((row?.['last_seq'] as number | undefined) ?? last?.seq ?? 0) + 1;
    db.run(acquireLeaseSql, partition, owner, epoch, nowMs + ttlMs, seq);
    const fence = insertGroup(catalog.ensureGroupSegment(seq));
    const group = { partition, seq, epoch, commitId, atMs: nowMs, factCount: 0, body: EMPTY };
    db.run(fence, partition, seq, epoch, commitId, nowMs, 0, EMPTY, groupChecksum(group));
    return { kind: 'acquired', epoch, seq, nowMs };
  });
}

/** If the lease row was deleted by hand, the journal still contains the last epoch. */
function lastGroup(
  { db, catalog }: Context,
  partition: number,
): { readonly seq: number; readonly epoch: number } | null {
  for (const segment of catalog.listGroupSegments().toReversed()) {
    const row = db.get(readLastGroup(segment), partition);
    if (row !== undefined) return { seq: row['seq'] as number, epoch: row['epoch'] as number };
  }
  return null;
}

export function releaseLease(
  { db, now }: Context,
  lease: { partition: number; owner: string; epoch: number },
): void {
  const { partition, owner, epoch } = lease;
  requireTexts({ owner });
  db.write(() => db.run(releaseLeaseSql, now(), partition, owner, epoch));
}

export function listLeases({ db }: Context): Lease[] {
  return db.read(() => db.all(listLeasesSql).map(toLease));
}
