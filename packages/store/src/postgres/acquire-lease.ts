import { fenceBase } from '../damage/row-checksums.ts';
import { StoreError } from '../errors.ts';
import type { AcquireResult } from '../lease.ts';
import type { Store } from '../store.ts';
import { requireTexts } from '../validate-text.ts';
import { hasCode } from './connection/failure.ts';
import type { Row } from './connection/pipeline.ts';
import { step } from './connection/step.ts';
import type { Database } from './database.ts';
import { ensureGroupSegments } from './segments/ensure-group-segments.ts';
import { acquireLease as acquireLeaseSql } from './sql/leases/acquire-lease.ts';
import { readLease } from './sql/leases/read-lease.ts';
import { readLeaseEnds } from './sql/leases/read-lease-ends.ts';

/** Each retry means that the old owner committed again, which may happen often on a busy machine. */
const ATTEMPTS_MAX = 500;

export async function acquireLease(
  database: Database,
  request: Parameters<Store['acquireLease']>[0],
): Promise<AcquireResult> {
  const { owner, commitId } = request;
  requireTexts({ owner, commitId });
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const result = await tryAcquire(database, request);
    if (result !== null) return result;
  }
  throw new StoreError(
    'conflict',
    `the lease of partition ${request.partition} could not be acquired, because the partition is being written`,
  );
}

/** Null if another writer won the race; the next attempt reads what it wrote. */
async function tryAcquire(
  database: Database,
  request: Parameters<Store['acquireLease']>[0],
): Promise<AcquireResult | null> {
  const { partition, owner, ttlMs, commitId } = request;
  const steps = [
    step(acquireLeaseSql(database.schema), 5, (writer) => {
      writer.int4(partition);
      writer.text(owner);
      writer.int8(ttlMs);
      writer.text(commitId);
      writer.int8(fenceBase({ partition, commitId }));
    }),
    step(readLease(database.schema), 1, (writer) => writer.int4(partition)),
  ];
  try {
    const [taken, held] = await database.pipeline(database.leases, steps);
    return acquired(taken?.[0]) ?? heldBy(held?.[0]);
  } catch (error) {
    const { cause } = error as Error;
    if (hasCode(cause, ['23505'])) return null;
    if (!hasCode(cause, ['23514'])) throw error;
    await ensureGroupSegments(database, [(await readLastSeq(database, partition)) + 1]);
    return null;
  }
}

function acquired(row: Row | undefined): AcquireResult | null {
  if (row === undefined) return null;
  const { epoch, seq, now_ms: nowMs } = row as { epoch: number; seq: number; now_ms: number };
  return { kind: 'acquired', epoch, seq, nowMs };
}

function heldBy(row: Row | undefined): AcquireResult | null {
  if (row === undefined) return null;
  const {
    owner,
    epoch,
    remaining_ms: remainingMs,
  } = row as {
    owner: string;
    epoch: number;
    remaining_ms: number;
  };
  // It expired between the two statements: try again instead of returning a time in the past.
  return remainingMs > 0 ? { kind: 'held', owner, epoch, remainingMs } : null;
}

async function readLastSeq(database: Database, partition: number): Promise<number> {
  const [row] = await database.read<{ last_seq: number | null }>(
    step(readLeaseEnds(database.schema), 1, (writer) => writer.int4s([partition])),
  );
  return row?.last_seq ?? 0;
}
