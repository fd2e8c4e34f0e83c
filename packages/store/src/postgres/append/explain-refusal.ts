import type { AppendResult, Commit } from '../../contract/journal.ts';
import { StoreError } from '../../errors.ts';
import { entriesTaken, requestedKeys, takenKeys } from '../../taken-keys.ts';
import { step } from '../connection/step.ts';
import type { Database } from '../database.ts';
import { readStoredKeys } from '../keys.ts';
import { readLeaseEnds } from '../sql/leases/read-lease-ends.ts';

interface LeaseEnd {
  readonly partition: number;
  readonly epoch: number | null;
  readonly last_seq: number | null;
}

/**
 * The server names the first row it refused; the result names everything that has to be removed from
 * the commit. Null if nothing conflicts any more: the conflicting row is gone, and the commit may
 * be tried again.
 */
export async function explainRefusal(
  database: Database,
  commit: Commit,
): Promise<AppendResult | null> {
  const partitions = await fencedPartitions(database, commit);
  if (partitions.length > 0) return { kind: 'fenced', partitions };
  const requested = requestedKeys(commit);
  return takenKeys(requested, await readStoredKeys(database, requested), entriesTaken(commit));
}

async function fencedPartitions(database: Database, commit: Commit): Promise<number[]> {
  const requested = commit.parts.map(({ partition }) => partition);
  const rows = await database.read<LeaseEnd>(
    step(readLeaseEnds(database.schema), 1, (writer) => writer.int4s(requested)),
  );
  const byPartition = new Map(rows.map((row) => [row.partition, row]));
  return commit.parts
    .filter(({ partition, epoch, seq }) => {
      const end = byPartition.get(partition);
      if (end === undefined || end.epoch !== epoch) return true;
      const lastSeq = end.last_seq ?? 0;
      if (seq > lastSeq + 1) {
        throw new StoreError(
          'invalid',
          `seq ${seq} leaves a gap after ${lastSeq} in partition ${partition}`,
        );
      }
      return seq <= lastSeq;
    })
    .map(({ partition }) => partition);
}
